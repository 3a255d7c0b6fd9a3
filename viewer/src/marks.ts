// What is drawn beside the cloth: pins, the hand and its pull, the fan, the stroke of a cut.

import * as THREE from "three";
import type { Frame } from "./wire";

const MOST_PINS = 4096;

export class Marks {
  readonly group = new THREE.Group();
  private readonly pins = new THREE.InstancedMesh(
    new THREE.SphereGeometry(1, 12, 8),
    new THREE.MeshStandardMaterial({ color: 0x223247, roughness: 0.4, metalness: 0.3 }),
    MOST_PINS,
  );
  private readonly hand = new THREE.Mesh(
    new THREE.SphereGeometry(1, 16, 12),
    new THREE.MeshBasicMaterial({ color: 0x1f7ae0, transparent: true, opacity: 0.85, depthTest: false }),
  );
  private readonly pull = new THREE.Line(
    new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(new Float32Array(6), 3)),
    new THREE.LineBasicMaterial({ color: 0x1f7ae0, depthTest: false }),
  );
  private readonly fan = new THREE.Group();
  private readonly blades: THREE.Mesh;
  /** The particle that is held here. */
  held: number | null = null;

  constructor() {
    this.pins.frustumCulled = false;
    this.pull.frustumCulled = false;
    this.pins.castShadow = true;
    this.hand.renderOrder = this.pull.renderOrder = 2;
    this.hand.visible = this.pull.visible = false;
    const ring = new THREE.Mesh(new THREE.TorusGeometry(1, 0.07, 8, 40), new THREE.MeshStandardMaterial({ color: 0x3b4a5a }));
    const shape = new THREE.BufferGeometry();
    const corners: number[] = [];
    for (let i = 0; i < 4; i++) {
      const [a, b] = [(i * Math.PI) / 2, (i * Math.PI) / 2 + 0.9];
      corners.push(0, 0, 0, 0.9 * Math.cos(a), 0.9 * Math.sin(a), 0.08, 0.9 * Math.cos(b), 0.9 * Math.sin(b), -0.08);
    }
    shape.setAttribute("position", new THREE.Float32BufferAttribute(corners, 3));
    shape.computeVertexNormals();
    this.blades = new THREE.Mesh(shape, new THREE.MeshStandardMaterial({ color: 0x6d8296, side: THREE.DoubleSide }));
    this.fan.add(ring, this.blades);
    this.fan.visible = false;
    this.group.add(this.pins, this.hand, this.pull, this.fan);
  }

  /** Turns the blades; true if there are any. */
  turn(seconds: number): boolean {
    this.blades.rotation.z += seconds * 14;
    return this.fan.visible;
  }

  setFan(fan: [number[], number[]] | null, size: number) {
    this.fan.visible = fan !== null;
    if (!fan) return;
    const [place, direction] = fan.map((v) => new THREE.Vector3().fromArray(v));
    this.fan.position.copy(place);
    this.fan.lookAt(place.clone().add(direction));
    this.fan.scale.setScalar(0.14 * size);
  }

  update(frame: Frame, size: number) {
    const count = Math.min(frame.pins.length, MOST_PINS);
    const radius = size * (count > 20 ? 0.006 : 0.011);
    const matrix = new THREE.Matrix4();
    for (let i = 0; i < count; i++) {
      const p = frame.pins[i] * 3;
      matrix.makeScale(radius, radius, radius);
      matrix.setPosition(frame.positions[p], frame.positions[p + 1], frame.positions[p + 2]);
      this.pins.setMatrixAt(i, matrix);
    }
    this.pins.count = count;
    this.pins.instanceMatrix.needsUpdate = true;
    const place = frame.place;
    this.hand.visible = place !== null;
    this.pull.visible = place !== null && this.held !== null;
    if (place) {
      this.hand.position.set(...place);
      this.hand.scale.setScalar(0.012 * size);
      if (this.held !== null) {
        const at = this.pull.geometry.attributes.position as THREE.BufferAttribute;
        at.setXYZ(0, ...place);
        at.setXYZ(1, ...(Array.from(frame.positions.subarray(this.held * 3, this.held * 3 + 3)) as [number, number, number]));
        at.needsUpdate = true;
      }
    }
  }
}
