// The cloth as a surface: shaded, wire, or coloured by strain.

import * as THREE from "three";
import type { Frame, Topology } from "./wire";

export type Look = "cloth" | "wire" | "strain" | "yarns";

/** From strong compression through none to strong extension, as in pictures. */
export const SCALE = [0x173a7d, 0x3f7fc4, 0xa5cfe6, 0xefeee8, 0xf6b877, 0xdb5b3a, 0x8e122b];

const STOPS = SCALE.map((code) => new THREE.Color(code));

/** The colour of a share of the limit, −1 to 1; beyond it is as at its end. */
export function colourOf(share: number, to: Float32Array, at: number) {
  const place = ((Math.max(-1, Math.min(1, share)) + 1) / 2) * (STOPS.length - 1);
  const first = Math.min(Math.floor(place), STOPS.length - 2);
  const [a, b, s] = [STOPS[first], STOPS[first + 1], place - first];
  to[at] = a.r + (b.r - a.r) * s;
  to[at + 1] = a.g + (b.g - a.g) * s;
  to[at + 2] = a.b + (b.b - a.b) * s;
}

export class Cloth {
  readonly group = new THREE.Group();
  readonly mesh: THREE.Mesh;
  /** A unit normal of each particle with faces; zero without. */
  normals = new Float32Array(0);
  limit = 0.01;
  private readonly wire: THREE.LineSegments;
  private readonly plain = clothMaterial(0xb8543f, false);
  private readonly coloured = clothMaterial(0xffffff, true);
  private triangles: Uint32Array = new Uint32Array(0);

  constructor() {
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), this.plain);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.wire = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x24364b }));
    this.wire.frustumCulled = false;
    this.group.add(this.mesh, this.wire);
  }

  setTopology(topology: Topology) {
    this.triangles = topology.triangles;
    this.normals = new Float32Array(topology.particles * 3);
    const geometry = new THREE.BufferGeometry();
    const positions = new THREE.BufferAttribute(new Float32Array(topology.particles * 3), 3);
    positions.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("position", positions);
    geometry.setAttribute("normal", new THREE.BufferAttribute(this.normals, 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(topology.particles * 3), 3));
    geometry.setIndex(new THREE.BufferAttribute(topology.triangles, 1));
    this.mesh.geometry.dispose();
    this.mesh.geometry = geometry;
    const lines = new THREE.BufferGeometry();
    lines.setAttribute("position", positions);
    lines.setIndex(new THREE.BufferAttribute(topology.lines, 1));
    this.wire.geometry.dispose();
    this.wire.geometry = lines;
  }

  /** Moves to a frame; `shown` says whether the surface is drawn, which can be picked anyway. */
  update(frame: Frame, look: Look, shown: boolean) {
    const geometry = this.mesh.geometry;
    const positions = geometry.attributes.position as THREE.BufferAttribute;
    positions.array.set(frame.positions);
    positions.needsUpdate = true;
    this.computeNormals(frame.positions);
    geometry.attributes.normal.needsUpdate = true;
    geometry.boundingSphere = null;
    geometry.boundingBox = null;
    this.mesh.visible = shown && look !== "wire";
    this.wire.visible = shown && look === "wire";
    this.mesh.material = look === "strain" ? this.coloured : this.plain;
    if (look === "strain" && shown) {
      const colours = geometry.attributes.color as THREE.BufferAttribute;
      const to = colours.array as Float32Array;
      for (let i = 0; i < frame.strains.length; i++) colourOf(frame.strains[i] / this.limit, to, i * 3);
      colours.needsUpdate = true;
    }
  }

  private computeNormals(x: Float32Array) {
    const n = this.normals;
    n.fill(0);
    const t = this.triangles;
    for (let k = 0; k < t.length; k += 3) {
      const [a, b, c] = [t[k] * 3, t[k + 1] * 3, t[k + 2] * 3];
      const [ux, uy, uz] = [x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]];
      const [vx, vy, vz] = [x[c] - x[a], x[c + 1] - x[a + 1], x[c + 2] - x[a + 2]];
      const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
      for (const i of [a, b, c]) {
        n[i] += nx;
        n[i + 1] += ny;
        n[i + 2] += nz;
      }
    }
    for (let i = 0; i < n.length; i += 3) {
      const length = Math.hypot(n[i], n[i + 1], n[i + 2]);
      if (length > 0) {
        n[i] /= length;
        n[i + 1] /= length;
        n[i + 2] /= length;
      }
    }
  }
}

/** Both sides are seen; the back a little darker and greyer. */
function clothMaterial(color: number, vertexColors: boolean): THREE.MeshPhysicalMaterial {
  const material = new THREE.MeshPhysicalMaterial({
    color,
    vertexColors,
    side: THREE.DoubleSide,
    roughness: 0.86,
    sheen: 0.5,
    sheenRoughness: 0.6,
    sheenColor: new THREE.Color(0xffffff),
  });
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace(
      "#include <color_fragment>",
      `#include <color_fragment>
       if (!gl_FrontFacing) diffuseColor.rgb = mix(diffuseColor.rgb, vec3(dot(diffuseColor.rgb, vec3(0.333))), 0.35) * 0.82;`,
    );
  };
  return material;
}
