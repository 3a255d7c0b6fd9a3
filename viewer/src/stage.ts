// The room the cloth hangs in: camera, light, floor, and what is drawn in it.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Cloth, type Look } from "./cloth";
import { Marks } from "./marks";
import { Bodies } from "./bodies";
import { Yarns } from "./yarns";
import type { Frame, Solids, Topology } from "./wire";

/** What is drawn, and who looks at it. */
export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
  readonly controls: OrbitControls;
  readonly cloth = new Cloth();
  readonly yarns = new Yarns();
  readonly bodies = new Bodies();
  readonly marks = new Marks();
  frame: Frame | null = null;
  topology: Topology | null = null;
  /** The cloth's size [m]. */
  size = 1;
  /** The same as the simulation knows it, however far pieces of it have fallen. */
  known: number | null = null;
  private look: Look = "cloth";
  private readonly sun = new THREE.DirectionalLight(0xfff1e0, 2.6);
  private readonly floor: THREE.Mesh;
  private framed = false;
  private dirty = true;
  private waiting: Frame | null = null;
  /** What the controls cover at the lower end of the canvas [CSS pixels]. */
  private covered = 0;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 1.05;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.mouseButtons = { LEFT: THREE.MOUSE.ROTATE, MIDDLE: THREE.MOUSE.PAN, RIGHT: null };
    this.controls.addEventListener("change", () => this.touch());
    this.scene.background = backdrop();
    this.scene.add(new THREE.HemisphereLight(0xdfe8f5, 0x8a8078, 1.6), this.sun, this.sun.target);
    const fill = new THREE.DirectionalLight(0xb9d0ff, 0.55);
    fill.position.set(-3, 1.5, 2);
    this.scene.add(fill);
    this.sun.castShadow = true;
    this.sun.shadow.radius = 3;
    this.sun.shadow.bias = -0.0006;
    this.floor = new THREE.Mesh(new THREE.CircleGeometry(1, 64), new THREE.ShadowMaterial({ opacity: 0.2 }));
    this.floor.rotation.x = -Math.PI / 2;
    this.floor.receiveShadow = true;
    this.scene.add(this.floor, this.cloth.group, this.yarns.mesh, this.bodies.group, this.marks.group);
    addEventListener("resize", () => this.resize());
    this.resize();
  }

  /** Asks for another picture. */
  touch() {
    this.dirty = true;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    // What is in the middle is in the middle of what can be seen.
    this.camera.setViewOffset(width, height, 0, this.covered / 2, width, height);
    this.touch();
  }

  /** Leaves room for controls at the lower end of the canvas [CSS pixels]. */
  cover(height: number) {
    if (height === this.covered) return;
    this.covered = height;
    this.resize();
  }

  /** Half the angle that all has to be seen within: upwards or aside, whichever is less. */
  private halfAngle(): number {
    const whole = Math.tan((this.camera.fov * Math.PI) / 360);
    const height = Math.max(this.canvas.clientHeight, 1);
    const upwards = whole * Math.max(0.2, 1 - this.covered / height);
    return Math.atan(Math.min(upwards, whole * this.camera.aspect));
  }

  /** The size of the shadow's picture; 0 for no shadow. */
  setShadow(size: number) {
    this.sun.castShadow = size > 0;
    this.sun.shadow.mapSize.set(size || 1, size || 1);
    this.sun.shadow.map?.dispose();
    this.sun.shadow.map = null;
  }

  setLook(look: Look) {
    this.look = look;
    this.apply();
  }

  setLimit(limit: number) {
    this.cloth.limit = limit;
    this.yarns.setLimit(limit);
    this.apply();
  }

  setTopology(topology: Topology) {
    const woven = topology.points.length > 0;
    const wasWoven = this.topology ? this.topology.points.length > 0 : null;
    this.topology = topology;
    this.frame = null;
    this.cloth.setTopology(topology);
    this.yarns.setTopology(topology);
    if (woven !== wasWoven) this.framed = false;
  }

  setSolids(solids: Solids) {
    this.bodies.set(solids);
    this.touch();
  }

  /** Shows a frame at the next picture. */
  setFrame(frame: Frame) {
    this.waiting = frame;
    this.touch();
  }

  /** Another scene: the camera looks for it anew. */
  reframe() {
    this.framed = false;
    this.apply();
  }

  private apply() {
    if (this.frame) this.waiting ??= this.frame;
    this.touch();
  }

  private update(frame: Frame) {
    this.waiting = null;
    if (!this.topology || frame.positions.length !== this.topology.particles * 3) return;
    this.frame = frame;
    const woven = this.topology.points.length > 0;
    const asYarns = woven && (this.look === "yarns" || this.look === "strain");
    this.cloth.update(frame, this.look, !asYarns);
    this.yarns.mesh.visible = asYarns;
    if (asYarns) this.yarns.update(frame, this.cloth.normals, this.look === "strain");
    this.bodies.place(frame.poses);
    if (!this.framed) this.frameAll();
    this.marks.update(frame, this.size);
  }

  /** The box around the cloth, without pieces that have fallen far. */
  private boxOfCloth(): THREE.Box3 {
    const x = this.frame!.positions;
    const all = new THREE.Box3().setFromArray(x);
    const first = this.frame!.pins.length ? this.frame!.pins[0] : 0;
    const anchor = this.particle(first);
    const box = new THREE.Box3();
    const place = new THREE.Vector3();
    const reach = 1.8 * (this.known ?? Infinity);
    for (let i = 0; i < x.length; i += 3) {
      if (place.fromArray(x, i).distanceTo(anchor) < reach) box.expandByPoint(place);
    }
    return box.isEmpty() ? all : box;
  }

  /** Puts the camera where it sees all, and light and floor where they belong. */
  private frameAll() {
    this.framed = true;
    const box = this.boxOfCloth();
    const extent = box.getSize(new THREE.Vector3());
    this.size = this.known ?? Math.max(extent.x, extent.y, extent.z, 1e-6);
    const all = box.clone();
    for (const other of this.bodies.boxes()) {
      const size = other.getSize(new THREE.Vector3());
      if (Math.max(size.x, size.y, size.z) < 2.2 * this.size) all.union(other);
    }
    const centre = all.getCenter(new THREE.Vector3());
    const sphere = all.getBoundingSphere(new THREE.Sphere());
    // Cloth that hangs is looked at from its front, cloth that lies from above.
    const flat = extent.z < 0.5 * Math.min(extent.x, extent.y);
    const [azimuth, elevation] = flat ? [0.42, 0.12] : [0.55, 0.38];
    const distance = (1.12 * sphere.radius) / Math.sin(this.halfAngle());
    const away = new THREE.Vector3(
      Math.sin(azimuth) * Math.cos(elevation),
      Math.sin(elevation),
      Math.cos(azimuth) * Math.cos(elevation),
    );
    this.camera.near = distance / 100;
    this.camera.far = distance * 40;
    this.camera.position.copy(centre).addScaledVector(away, distance);
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(centre);
    this.controls.update();
    const radius = sphere.radius * 1.5;
    this.sun.position.copy(centre).add(new THREE.Vector3(0.9, 2.2, 1.5).multiplyScalar(radius));
    this.sun.target.position.copy(centre);
    const shadow = this.sun.shadow.camera;
    [shadow.left, shadow.right, shadow.top, shadow.bottom] = [-radius, radius, radius, -radius];
    [shadow.near, shadow.far] = [radius * 0.2, radius * 6];
    shadow.updateProjectionMatrix();
    this.sun.shadow.normalBias = radius * 0.004;
    this.floor.position.set(centre.x, all.min.y - 0.12 * this.size, centre.z);
    this.floor.scale.setScalar(8 * sphere.radius);
    this.floor.visible = !this.bodies.hasFloor();
  }

  /** Draws if anything has changed; tells whether it did. */
  draw(): boolean {
    this.controls.update();
    if (this.waiting) this.update(this.waiting);
    if (!this.dirty) return false;
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
    return true;
  }

  /** The ray under a place of the canvas [CSS pixels]. */
  ray(x: number, y: number): THREE.Raycaster {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const at = new THREE.Vector2((x / width) * 2 - 1, 1 - (y / height) * 2);
    const caster = new THREE.Raycaster();
    caster.setFromCamera(at, this.camera);
    return caster;
  }

  /** Where a place of the room is on the canvas [CSS pixels]. */
  project(place: THREE.Vector3): [number, number] {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const p = place.clone().project(this.camera);
    return [((p.x + 1) / 2) * width, ((1 - p.y) / 2) * height];
  }

  /** Where a particle is. */
  particle(i: number): THREE.Vector3 {
    return new THREE.Vector3().fromArray(this.frame!.positions, i * 3);
  }
}

/** A soft light wall. */
function backdrop(): THREE.Texture {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [16, 256];
  const context = canvas.getContext("2d")!;
  const gradient = context.createLinearGradient(0, 0, 0, 256);
  gradient.addColorStop(0, "#f3f5f8");
  gradient.addColorStop(0.55, "#e3e7ec");
  gradient.addColorStop(1, "#c9ced6");
  context.fillStyle = gradient;
  context.fillRect(0, 0, 16, 256);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}
