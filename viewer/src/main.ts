// The page: what is shown, what can be done to it, and where frames come from.

import { Answer } from "./answer";
import { Clip } from "./clip";
import { SCALE, type Look } from "./cloth";
import { Hands, type Tool } from "./hands";
import { Instruments } from "./instruments";
import { Quality } from "./quality";
import { Live, packed, Player, served, type Hello, type Listener, type Status } from "./source";
import { Stage } from "./stage";
import type { Frame } from "./wire";

const mode = document.documentElement.dataset.mode;
const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const stage = new Stage(find<HTMLCanvasElement>("canvas"));
const quality = new Quality(stage);
const clip = new Clip();
const answer = new Answer();
const instruments = new Instruments(find("instruments"));

let live: Live | null = null;
let player: Player | null = null;
let hands: Hands | null = null;
let status: Status | null = null;
let scenes: string[] = [];
let shownScene = "";
let chosen: Look | null = null;
/** Whether this page asked for the scene's text, which all pages are told. */
let copying = false;

function notice(level: string, text: string) {
  const line = Object.assign(document.createElement("div"), { textContent: text, className: level });
  const list = find("notices");
  list.append(line);
  while (list.children.length > 4) list.firstChild!.remove();
  setTimeout(() => line.remove(), level === "saved" ? 14_000 : 6000);
}

/** Yarns for woven cloth, unless somebody chose otherwise. */
function showLook() {
  const woven = (stage.topology?.points.length ?? 0) > 0;
  const option = find<HTMLSelectElement>("look").querySelector<HTMLOptionElement>('[value="yarns"]')!;
  option.disabled = !woven;
  let look = chosen ?? (woven ? "yarns" : "cloth");
  if (look === "yarns" && !woven) look = "cloth";
  find<HTMLSelectElement>("look").value = look;
  find("legend").hidden = look !== "strain";
  stage.setLook(look);
}

function setLimit(limit: number) {
  stage.setLimit(limit);
  const text = (limit * 100).toPrecision(2);
  find("legend-low").textContent = `−${text} %`;
  find("legend-high").textContent = `${text} %`;
}

const listener: Listener = {
  topology(topology) {
    stage.setTopology(topology);
    showLook();
  },
  solids: (solids) => stage.setSolids(solids),
  frame(frame: Frame) {
    stage.setFrame(frame);
    const force = Math.hypot(...frame.force);
    find("force").hidden = !hands?.holding;
    find("force").textContent = `${force < 10 ? force.toFixed(2) : force.toFixed(1)} N`;
    const at = player ? ` · ${player.index + 1} of ${player.store.frames.length}` : "";
    find("clock").textContent = `frame ${frame.number}${at} · ${frame.time.toFixed(2)} s`;
    if (player) find<HTMLInputElement>("timeline").value = String(player.index);
  },
  status(next) {
    status = next;
    stage.known = next.size;
    if (next.scene !== shownScene) {
      shownScene = next.scene;
      document.title = `${next.scene} · Taffeta`;
      find<HTMLSelectElement>("scene").value = next.scene;
      stage.reframe();
    }
    setLimit(next.limit ?? (next.cuts ? 0.05 : 0.02));
    instruments.update(next, answer.last);
    stage.marks.setFan(next.fan, stage.size);
    showSettings(next);
  },
  hello(hello: Hello) {
    const list = find<HTMLSelectElement>("scene");
    scenes = hello.scenes.map((scene) => scene.name);
    if (!scenes.includes(hello.own)) scenes.unshift(hello.own);
    const summary = (name: string) => hello.scenes.find((scene) => scene.name === name)?.summary ?? "";
    list.replaceChildren(...scenes.map((name) => Object.assign(new Option(name, name), { title: summary(name) })));
    list.value = shownScene || hello.own;
    const fabrics = hello.fabrics.map((f) => Object.assign(new Option(f.name, f.name), { title: f.summary }));
    find<HTMLSelectElement>("fabric").replaceChildren(new Option("of the scene", ""), ...fabrics);
  },
  notice,
  scene(text) {
    if (!copying) return;
    copying = false;
    const refused = () => notice("error", "The browser does not let this page copy; click it once and try again.");
    if (!navigator.clipboard) return refused();
    navigator.clipboard.writeText(text).then(() => notice("info", "The scene's text is copied."), refused);
  },
  connected: (is) => (find("connection").hidden = is),
};

/** When each slider was moved [ms]. */
const moved = new Map<string, number>();

/** How long a slider waits for what it asked for before it follows what is again [ms]. */
const ANSWER = 1000;

/** Sliders follow what is, but for the one in somebody's hand. */
function showSettings(next: Status) {
  const set = (id: string, value: number, text: string) => {
    const input = find<HTMLInputElement>(id);
    const waits = performance.now() - (moved.get(id) ?? -ANSWER) < ANSWER;
    if (!waits && !input.matches(":active")) input.value = String(value);
    find(`${id}-out`).textContent = text;
  };
  set("gravity", -next.gravity[1], `${(-next.gravity[1]).toFixed(2)} m/s²`);
  set("wind-x", next.wind[0], `${next.wind[0].toFixed(1)} m/s`);
  set("wind-z", next.wind[2], `${next.wind[2].toFixed(1)} m/s`);
  find("limit-row").hidden = next.limit === null;
  if (next.limit !== null) set("limit", Math.log10(next.limit), `${(next.limit * 100).toPrecision(2)} %`);
  find("friction-row").hidden = next.friction === null;
  if (next.friction !== null) set("friction", next.friction, next.friction.toFixed(2));
  find("fan-out").textContent = next.fan ? `${find<HTMLInputElement>("fan-speed").value} m/s` : "off";
  const fabric = find<HTMLSelectElement>("fabric");
  if (document.activeElement !== fabric) fabric.value = next.fabric ?? "";
  find("play").textContent = next.playing ? "Pause" : "Play";
  showSpeed(next.speed);
  find<HTMLButtonElement>("undo").disabled = next.undo === 0;
}

function showSpeed(speed: number) {
  find("speed-out").textContent = `${speed.toPrecision(2)}×`;
}

function setTool(tool: Tool) {
  if (hands) hands.tool = tool;
  document.querySelectorAll<HTMLElement>("[data-tool]").forEach((button) => button.classList.toggle("on", button.dataset.tool === tool));
}

function play() {
  if (live) live.say({ say: status?.playing ? "pause" : "play" });
  if (player) {
    player.playing = !player.playing;
    find("play").textContent = player.playing ? "Pause" : "Play";
  }
}

function step() {
  live?.say({ say: "step" });
  if (player) {
    if (player.playing) play();
    player.seek(player.index + 1);
  }
}

function restart() {
  live?.say({ say: "restart" });
  player?.seek(0);
}

function scene(by: number) {
  if (!live || !scenes.length) return;
  const next = (scenes.indexOf(shownScene) + by + scenes.length) % scenes.length;
  live.say({ say: "scene", name: scenes[next] });
}

function fan() {
  if (!live || !hands) return;
  if (status?.fan) {
    live.act({ do: "fan-off" });
    setTool("pull");
  } else {
    setTool("fan");
    const { clientWidth, clientHeight } = stage.canvas;
    hands.aimFan(clientWidth / 2, clientHeight / 2);
  }
}

/** Where the mouse was last; the middle until it moves. */
const pointer = { x: innerWidth / 2, y: innerHeight / 2 };
addEventListener("pointermove", (event) => Object.assign(pointer, { x: event.clientX, y: event.clientY }));

const KEYS: Record<string, () => void> = {
  p: play,
  o: step,
  r: restart,
  "[": () => scene(-1),
  "]": () => scene(1),
  m: () => (find("instruments").hidden = !find("instruments").hidden),
  b: () => hands?.throwBall(pointer.x, pointer.y),
  f: fan,
  tab: () => document.body.classList.toggle("bare"),
};

addEventListener("keydown", (event) => {
  if (event.target instanceof HTMLSelectElement) return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
    live?.say({ say: "undo" });
    return event.preventDefault();
  }
  const act = KEYS[event.key.toLowerCase()];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  // A key that is held steps on, and does nothing else twice.
  if (!event.repeat || act === step) act();
});

const on = (id: string, what: () => void) => find(id).addEventListener("click", what);
on("play", play);
on("step", step);
on("restart", restart);
on("previous", () => scene(-1));
on("next", () => scene(1));
on("undo", () => live?.say({ say: "undo" }));
on("save", () => live?.say({ say: "save-state" }));
on("record", () => live?.say({ say: "save-recording" }));
on("copy", () => {
  copying = true;
  live?.say({ say: "copy-scene" });
});
on("clip", () => {
  clip.toggle(stage.canvas, find("name").textContent || shownScene || "taffeta", (text) => {
    find("clip").classList.remove("on");
    notice("info", text);
  });
  find("clip").classList.toggle("on", clip.running);
});
document.querySelectorAll<HTMLElement>("[data-tool]").forEach((button) =>
  button.addEventListener("click", () => setTool(button.dataset.tool as Tool)),
);
/** Chosen from a list, which then leaves the keys to the page. */
const choose = (id: string, act: (value: string) => void) =>
  find(id).addEventListener("change", () => {
    act(find<HTMLSelectElement>(id).value);
    find(id).blur();
  });
choose("scene", (name) => live?.say({ say: "scene", name }));
choose("look", (look) => {
  chosen = look as Look;
  showLook();
});
choose("fabric", (name) => name && live?.act({ do: "fabric", name }));
const slide = (id: string, act: (value: number) => void, event = "input") =>
  find(id).addEventListener(event, () => {
    moved.set(id, performance.now());
    act(Number(find<HTMLInputElement>(id).value));
  });
slide("gravity", (value) => live?.act({ do: "gravity", value: [status?.gravity[0] ?? 0, -value, status?.gravity[2] ?? 0] }));
// As the sliders are: what is told of the wind may be older than the other slider.
const blow = () => {
  const [x, z] = ["wind-x", "wind-z"].map((id) => Number(find<HTMLInputElement>(id).value));
  live?.act({ do: "wind", value: [x, status?.wind[1] ?? 0, z] });
};
slide("wind-x", blow);
slide("wind-z", blow);
// What makes the simulator plan anew is told once, when the slider is let go.
slide("limit", (value) => live?.act({ do: "limit", value: 10 ** value }), "change");
slide("friction", (value) => live?.act({ do: "friction", value }), "change");
slide("fan-speed", (value) => {
  if (hands) hands.fanSpeed = value;
  if (!status?.fan) return;
  const [position, direction] = status.fan;
  live?.act({ do: "fan", position, direction, speed: value, radius: 0.25 * stage.size });
});
slide("speed", (value) => {
  const speed = 2 ** value;
  showSpeed(speed);
  live?.say({ say: "speed", value: speed });
  if (player) player.speed = speed;
});
slide("timeline", (value) => {
  if (player?.playing) play();
  player?.seek(value);
});

/** The controls are below the cloth; on a narrow screen the settings wait behind their name. */
function layOut() {
  const footer = find("footer");
  const settings = find<HTMLDetailsElement>("settings");
  const shape = () => {
    // What is hidden covers nothing, but the picture stays where it is.
    if (!footer.offsetHeight) return;
    const covered = footer.offsetHeight + 24;
    document.documentElement.style.setProperty("--covered", `${covered}px`);
    stage.cover(covered);
  };
  const narrow = matchMedia("(max-width: 720px)");
  const fold = () => (settings.open = !narrow.matches);
  narrow.addEventListener("change", fold);
  new ResizeObserver(shape).observe(footer);
  fold();
  shape();
}

function drawLegend() {
  const canvas = find<HTMLCanvasElement>("legend-scale");
  const context = canvas.getContext("2d")!;
  const gradient = context.createLinearGradient(0, 0, canvas.width, 0);
  SCALE.forEach((code, i) => gradient.addColorStop(i / (SCALE.length - 1), `#${code.toString(16).padStart(6, "0")}`));
  context.fillStyle = gradient;
  context.fillRect(0, 0, canvas.width, canvas.height);
}

async function begin() {
  drawLegend();
  layOut();
  setLimit(0.02);
  if (mode === "live") {
    live = new Live(listener);
    const line = document.getElementById("stroke") as unknown as SVGPolylineElement;
    hands = new Hands(stage, live, line, answer, (x, y) => {
      find("force").style.setProperty("left", `${x}px`);
      find("force").style.setProperty("top", `${y}px`);
    });
    hands.fanSpeed = Number((find<HTMLInputElement>("fan-speed").value = "8"));
    setTool("pull");
  } else {
    const store = await (mode === "run" ? served() : packed());
    player = new Player(store, listener);
    document.title = `${store.name} · Taffeta`;
    find("name").textContent = store.name;
    find<HTMLInputElement>("timeline").max = String(store.frames.length - 1);
    showSpeed(1);
  }
}

let last = performance.now();
let drawn = false;
function loop(now: number) {
  const before = last;
  const seconds = Math.min(0.25, (now - before) / 1000);
  last = now;
  hands?.tick();
  player?.advance(seconds);
  if (stage.marks.turn(seconds)) stage.touch();
  if (drawn) quality.hear(now - before);
  drawn = stage.draw();
  if (drawn && stage.frame) answer.drawn(stage.frame, performance.now());
  requestAnimationFrame(loop);
}

// For tests: what is shown, and where on the screen.
Object.assign(globalThis, { taffeta: { stage, status: () => status, player: () => player, live: () => live, clip, answer } });

begin().catch((error) => notice("error", String(error)));
requestAnimationFrame(loop);
