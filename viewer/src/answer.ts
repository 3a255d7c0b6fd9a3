// How long the cloth takes to answer a hand: from when the pointer moved to when a picture is drawn of
// cloth that felt it.

import type { Frame } from "./wire";

/** Answers that are kept. */
const KEPT = 600;

export class Answer {
  private asked: { to: Float32Array; since: number }[] = [];
  /** How long the last ones took [ms]. */
  readonly times: number[] = [];

  /** The hand is led to a place since the pointer was there [ms]. */
  ask(to: number[], since: number) {
    this.asked.push({ to: Float32Array.from(to), since });
  }

  /** A frame has been drawn. What was asked before what it answers will have no answer of its own. */
  drawn(frame: Frame, now: number) {
    const { to } = frame;
    if (!to) return;
    const heard = this.asked.map((asked) => asked.to.every((x, i) => x === to[i])).lastIndexOf(true);
    if (heard < 0) return;
    // The one that has waited longest.
    this.times.push(now - this.asked[0].since);
    if (this.times.length > KEPT) this.times.shift();
    this.asked.splice(0, heard + 1);
  }

  /** The hand has let go. */
  forget() {
    this.asked = [];
  }

  get last(): number | null {
    return this.times.at(-1) ?? null;
  }
}
