// Small graphs of what the simulation does.

import type { Status } from "./source";

const KEPT = 120;

interface Graph {
  name: string;
  value(status: Status, answer: number | null): number | null;
  text(status: Status, answer: number | null): string;
  /** A line that the graph should stay below. */
  mark?(status: Status): number | null;
}

const percent = (x: number) => `${(x * 100).toFixed(x < 0.1 ? 2 : 1)} %`;

const GRAPHS: Graph[] = [
  { name: "frames/s", value: (s) => s.fps, text: (s) => s.fps.toFixed(0), mark: (s) => s.rate * s.speed },
  { name: "hand to picture", value: (_, answer) => answer, text: (_, answer) => (answer === null ? "–" : `${answer.toFixed(0)} ms`), mark: () => 100 },
  { name: "frame time", value: (s) => s.frame_ms, text: (s) => `${s.frame_ms.toFixed(1)} ms` },
  {
    name: "worst strain",
    value: (s) => s.strain,
    text: (s) => percent(s.strain) + (s.limit === null ? "" : ` of ${percent(s.limit)}`),
    mark: (s) => s.limit,
  },
  { name: "contacts", value: (s) => s.contacts, text: (s) => String(s.contacts) },
  { name: "intersections", value: (s) => s.intersections, text: (s) => String(s.intersections ?? "–") },
  { name: "torn spans", value: (s) => s.torn, text: (s) => String(s.torn ?? "–") },
];

export class Instruments {
  private readonly rows: { graph: Graph; values: number[]; text: HTMLElement; canvas: HTMLCanvasElement }[];
  private readonly phases: HTMLElement;
  private readonly foot: HTMLElement;

  constructor(root: HTMLElement) {
    this.rows = GRAPHS.map((graph) => {
      const row = document.createElement("div");
      row.className = "graph";
      const name = Object.assign(document.createElement("span"), { textContent: graph.name });
      const canvas = Object.assign(document.createElement("canvas"), { width: 180, height: 36 });
      const text = document.createElement("b");
      row.append(name, canvas, text);
      root.append(row);
      return { graph, values: [], text, canvas };
    });
    this.phases = Object.assign(document.createElement("div"), { className: "phases" });
    this.foot = Object.assign(document.createElement("div"), { className: "foot" });
    root.append(this.phases, this.foot);
  }

  /** With how long the last picture that answered a hand took [ms]. */
  update(status: Status, answer: number | null) {
    for (const row of this.rows) {
      const value = row.graph.value(status, answer);
      row.values.push(value ?? 0);
      if (row.values.length > KEPT) row.values.shift();
      row.text.textContent = row.graph.text(status, answer);
      row.canvas.parentElement!.hidden = value === null && row.graph.name === "torn spans";
      this.draw(row.canvas, row.values, row.graph.mark?.(status) ?? null);
    }
    const all = Object.values(status.phases).reduce((sum, ms) => sum + ms, 0) || 1;
    const largest = Object.entries(status.phases).sort((a, b) => b[1] - a[1]).slice(0, 6);
    this.phases.replaceChildren(
      ...largest.map(([name, ms]) => {
        const row = document.createElement("div");
        const bar = document.createElement("i");
        bar.style.setProperty("width", `${(100 * ms) / all}%`);
        row.append(bar, Object.assign(document.createElement("span"), { textContent: `${name} ${ms.toFixed(2)} ms` }));
        return row;
      }),
    );
    this.foot.textContent = `${status.particles} particles · frame ${status.frame} · ${status.fingerprint}`;
  }

  private draw(canvas: HTMLCanvasElement, values: number[], mark: number | null) {
    const context = canvas.getContext("2d")!;
    const { width, height } = canvas;
    const top = Math.max(...values, mark ?? 0, 1e-12) * 1.1;
    const y = (value: number) => height - 2 - (value / top) * (height - 4);
    context.clearRect(0, 0, width, height);
    if (mark !== null) {
      context.strokeStyle = "#d9822b88";
      context.setLineDash([4, 3]);
      context.beginPath();
      context.moveTo(0, y(mark));
      context.lineTo(width, y(mark));
      context.stroke();
      context.setLineDash([]);
    }
    context.strokeStyle = "#1f5fae";
    context.lineWidth = 1.5;
    context.beginPath();
    values.forEach((value, i) => context.lineTo((i / (KEPT - 1)) * width, y(value)));
    context.stroke();
  }
}
