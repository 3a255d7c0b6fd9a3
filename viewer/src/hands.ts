// Hands on the cloth: what pointers do over the canvas, with mouse, pen or finger.

import * as THREE from "three";
import type { Answer } from "./answer";
import type { Live } from "./source";
import type { Stage } from "./stage";

export type Tool = "pull" | "cut" | "pin" | "ball" | "fan";

/** Particles farther from the pointer than this are not meant [pixels]. */
const NEAR = 18;

/** How far around the pointer a hand holds, as a share of the cloth's size. */
const PATCH = 0.045;

/** The least that it holds around it, in edges. */
const FEWEST = 2.6;

interface Doing {
  /** How it began. */
  begun: PointerEvent;
  pointer: number;
  kind: "pull" | "cut" | "solid" | "fan";
  /** The plane it moves in, towards the eye. */
  plane: THREE.Plane;
  offset: THREE.Vector3;
  solid: number;
}

export class Hands {
  tool: Tool = "pull";
  fanSpeed = 8;
  private doing: Doing | null = null;
  private stroke: THREE.Vector3[] = [];
  private trail: [number, number][] = [];
  private target: THREE.Vector3 | null = null;
  /** When the pointer was last where the target is [ms]. */
  private pointed = 0;
  private yielding = false;

  constructor(
    private readonly stage: Stage,
    private readonly live: Live,
    private readonly line: SVGPolylineElement,
    private readonly answer: Answer,
    private readonly onForce: (x: number, y: number) => void,
  ) {
    const canvas = stage.canvas;
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"] as const) canvas.addEventListener(end, (event) => this.up(event));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  get holding(): boolean {
    return this.doing?.kind === "pull";
  }

  /** The particle under a place, on the cloth or among loose yarns. */
  private pick(x: number, y: number): { particle: number; distance: number } | null {
    const { stage } = this;
    if (!stage.frame) return null;
    const ray = stage.ray(x, y);
    const hit = ray.intersectObject(stage.cloth.mesh, false)[0];
    if (hit?.face) {
      const corners = [hit.face.a, hit.face.b, hit.face.c];
      const away = (i: number) => stage.particle(i).distanceTo(hit.point);
      corners.sort((a, b) => away(a) - away(b));
      return { particle: corners[0], distance: hit.distance };
    }
    let [best, found] = [NEAR, -1];
    const count = stage.frame.positions.length / 3;
    const place = new THREE.Vector3();
    for (let i = 0; i < count; i++) {
      const [px, py] = stage.project(place.fromArray(stage.frame.positions, i * 3));
      const distance = Math.hypot(px - x, py - y);
      if (distance < best) [best, found] = [distance, i];
    }
    if (found < 0) return null;
    return { particle: found, distance: stage.particle(found).distanceTo(stage.camera.position) };
  }

  private down(event: PointerEvent) {
    const { stage } = this;
    if (this.doing && event.pointerType === "touch") return this.yieldTo(this.doing.begun);
    // Nor does a second finger take hold of anything.
    if (event.pointerType === "touch" && !event.isPrimary) return;
    if (this.doing || this.yielding || !stage.frame || event.ctrlKey || event.altKey) return;
    const [x, y] = [event.offsetX, event.offsetY];
    if (event.button === 2 || (event.button === 0 && this.tool === "cut")) return this.begin(event, "cut", null);
    if (event.button !== 0) return;
    const found = this.pick(x, y);
    if (event.shiftKey || this.tool === "pin") {
      if (!found) return;
      event.stopImmediatePropagation();
      this.live.say({ say: "toggle-pin", particle: found.particle });
      return;
    }
    if (this.tool === "ball") {
      event.stopImmediatePropagation();
      this.throwBall(x, y);
      return;
    }
    if (this.tool === "fan") {
      this.begin(event, "fan", null);
      this.aimFan(x, y);
      return;
    }
    const body = stage.bodies.pick(stage.ray(x, y));
    if (body && (!found || body.distance < found.distance)) {
      this.begin(event, "solid", body.point);
      if (this.doing) (this.doing as Doing).offset = stage.bodies.origin(body.solid).sub(body.point);
      if (this.doing) (this.doing as Doing).solid = body.solid;
      return;
    }
    if (!found) return;
    const place = stage.particle(found.particle);
    this.begin(event, "pull", place);
    this.stage.marks.held = found.particle;
    this.target = place;
    this.pointed = event.timeStamp;
    // A single yarn is not a hand full of cloth.
    const radius = Math.max(PATCH * stage.size, FEWEST * (stage.topology?.spacing ?? 0));
    this.live.act({ do: "grab", particle: found.particle, radius, to: place.toArray() });
  }

  private begin(event: PointerEvent, kind: Doing["kind"], at: THREE.Vector3 | null) {
    event.stopImmediatePropagation();
    const { stage } = this;
    stage.canvas.setPointerCapture(event.pointerId);
    stage.controls.enabled = false;
    const towards = stage.camera.getWorldDirection(new THREE.Vector3()).negate();
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(towards, at ?? stage.controls.target);
    this.doing = { begun: event, pointer: event.pointerId, kind, plane, offset: new THREE.Vector3(), solid: -1 };
    this.stroke = [];
    this.trail = [];
    if (kind === "cut") this.draw(event.offsetX, event.offsetY);
  }

  private move(event: PointerEvent) {
    this.onForce(event.offsetX, event.offsetY);
    if (!this.doing || event.pointerId !== this.doing.pointer) return;
    const [x, y] = [event.offsetX, event.offsetY];
    if (this.doing.kind === "cut") return this.draw(x, y);
    if (this.doing.kind === "fan") return this.aimFan(x, y);
    const to = this.stage.ray(x, y).ray.intersectPlane(this.doing.plane, new THREE.Vector3());
    if (!to) return;
    this.target = to.add(this.doing.offset);
    this.pointed = event.timeStamp;
  }

  /** Once a picture: tells where the hand is, if it has moved. */
  tick() {
    if (!this.target || !this.doing) return;
    const to = this.target.toArray();
    this.target = null;
    if (this.doing.kind === "pull") {
      this.live.act({ do: "drag", to });
      this.answer.ask(to, this.pointed);
    }
    if (this.doing.kind === "solid") this.live.act({ do: "move-solid", solid: this.doing.solid, to });
  }

  private up(event: PointerEvent) {
    if (this.doing && event.pointerId === this.doing.pointer) this.end();
  }

  /** Two fingers look around: what the first began ends, and the camera hears of it. */
  private yieldTo(first: PointerEvent) {
    this.stroke = [];
    this.end();
    this.yielding = true;
    this.stage.canvas.dispatchEvent(new PointerEvent("pointerdown", first));
    this.yielding = false;
  }

  private end() {
    const doing = this.doing!;
    this.tick();
    this.doing = null;
    this.target = null;
    this.stage.controls.enabled = true;
    if (doing.kind === "pull") this.live.act({ do: "release" });
    this.answer.forget();
    if (doing.kind === "cut" && this.stroke.length > 1) this.cut();
    this.stage.marks.held = null;
    this.trail = [];
    this.line.setAttribute("points", "");
  }

  private draw(x: number, y: number) {
    const last = this.trail.at(-1);
    if (last && Math.hypot(x - last[0], y - last[1]) < 3) return;
    this.trail.push([x, y]);
    this.stroke.push(this.stage.ray(x, y).ray.direction.clone());
    this.line.setAttribute("points", this.trail.slice(-80).map((p) => p.join(",")).join(" "));
    // Long strokes cut as they go.
    if (this.stroke.length >= 12) this.cut();
  }

  private cut() {
    const eye = this.stage.camera.position.toArray();
    this.live.say({ say: "stroke", eye, rays: this.stroke.map((ray) => ray.toArray()) });
    this.stroke = this.stroke.slice(-1);
  }

  /** Throws the ball from the eye to what is under a place. */
  throwBall(x: number, y: number) {
    const { stage } = this;
    const radius = 0.11 * stage.size;
    const aim = this.aim(x, y);
    const away = stage.camera.position.clone().sub(aim).normalize();
    const from = aim.clone().addScaledVector(away, 1.1 * stage.size + 2 * radius);
    const seconds = 0.3;
    const velocity = aim.clone().sub(from).multiplyScalar(1.6 / seconds);
    velocity.y += 0.5 * 9.81 * seconds * 0.6;
    this.live.act({ do: "throw", from: from.toArray(), velocity: velocity.toArray(), radius });
  }

  private aim(x: number, y: number): THREE.Vector3 {
    const { stage } = this;
    const ray = stage.ray(x, y);
    const hit = ray.intersectObject(stage.cloth.mesh, false)[0];
    if (hit) return hit.point;
    const towards = stage.camera.getWorldDirection(new THREE.Vector3()).negate();
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(towards, stage.controls.target);
    return ray.ray.intersectPlane(plane, new THREE.Vector3()) ?? stage.controls.target.clone();
  }

  /** Puts the fan between the eye and what is under a place, and lets it blow there. */
  aimFan(x: number, y: number) {
    const { stage } = this;
    const aim = this.aim(x, y);
    const side = new THREE.Vector3(-0.55, -0.35, 0).applyQuaternion(stage.camera.quaternion);
    const away = stage.camera.position.clone().sub(aim).normalize().multiplyScalar(0.75).add(side);
    const from = aim.clone().addScaledVector(away, stage.size);
    const direction = aim.clone().sub(from).normalize();
    const radius = 0.25 * stage.size;
    this.live.act({ do: "fan", position: from.toArray(), direction: direction.toArray(), speed: this.fanSpeed, radius });
  }
}
