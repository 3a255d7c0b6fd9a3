// Woven cloth as its yarns: a tube for every span between two crossings, bent on the graphics card
// along a curve through the four points around it. Torn ends thin out and are pale.

import * as THREE from "three";
import { APART, FIRST, LAST, OVER, SPLIT, TORN, WEFT, type Frame, type Topology } from "./wire";

/** A yarn's radius as a share of the distance between yarns, and how far it goes over and under in
 * radii: as in pictures. */
const RADIUS = 0.41;
const CRIMP = 0.68;

const WIDTH = 1024;

export class Yarns {
  readonly mesh: THREE.Mesh;
  private readonly uniforms = {
    places: { value: null as THREE.DataTexture | null },
    uprights: { value: null as THREE.DataTexture | null },
    radius: { value: 0.001 },
    strained: { value: 0 },
    limit: { value: 0.05 },
  };
  private topology: Topology | null = null;
  private sides = 6;
  private pieces = 3;
  private places = new Float32Array(0);
  private uprights = new Float32Array(0);

  constructor() {
    const material = new THREE.MeshStandardMaterial({ roughness: 0.82 });
    material.onBeforeCompile = (shader) => this.bend(shader, true);
    const depth = new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking });
    depth.onBeforeCompile = (shader) => this.bend(shader, false);
    this.mesh = new THREE.Mesh(tube(6, 3), material);
    this.mesh.customDepthMaterial = depth;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  /** How finely a span is drawn. */
  setDetail(sides: number, pieces: number) {
    [this.sides, this.pieces] = [sides, pieces];
    if (this.topology) this.setTopology(this.topology);
  }

  setLimit(limit: number) {
    this.uniforms.limit.value = limit;
  }

  setTopology(topology: Topology) {
    this.topology = topology;
    const { points } = topology;
    const count = points.length / 2;
    const height = Math.max(1, Math.ceil(count / WIDTH));
    this.places = new Float32Array(WIDTH * height * 4);
    this.uprights = new Float32Array(WIDTH * height * 4);
    this.uniforms.places.value?.dispose();
    this.uniforms.uprights.value?.dispose();
    this.uniforms.places.value = texture(this.places, height);
    this.uniforms.uprights.value = texture(this.uprights, height);
    this.uniforms.radius.value = RADIUS * topology.spacing;
    const spans: number[] = [];
    const looks: number[] = [];
    for (let i = 0; i + 1 < count; i++) {
      const [here, next] = [points[2 * i + 1], points[2 * i + 3]];
      if (here & LAST) continue;
      spans.push(here & FIRST ? i : i - 1, i, i + 1, next & LAST ? i + 1 : i + 2);
      looks.push(here & WEFT ? 1 : 0, here & FIRST && here & TORN ? 1 : 0, next & LAST && next & TORN ? 1 : 0);
    }
    const geometry = tube(this.sides, this.pieces);
    geometry.instanceCount = spans.length / 4;
    geometry.setAttribute("span", new THREE.InstancedBufferAttribute(new Float32Array(spans), 4));
    geometry.setAttribute("look", new THREE.InstancedBufferAttribute(new Float32Array(looks), 3));
    this.mesh.geometry.dispose();
    this.mesh.geometry = geometry;
  }

  /** Puts the points of yarns where they are drawn: over and under the middle of the cloth. */
  update(frame: Frame, normals: Float32Array, strained: boolean) {
    if (!this.topology) return;
    const { points, thickness, spacing } = this.topology;
    const lift = CRIMP * RADIUS * spacing;
    const x = frame.positions;
    const upright = [0, 1, 0];
    const count = points.length / 2;
    for (let i = 0; i < count; i++) {
      const [particle, flags] = [points[2 * i], points[2 * i + 1]];
      const p = particle * 3;
      if (flags & FIRST) this.firstUpright(i, normals, upright);
      if (normals[p] || normals[p + 1] || normals[p + 2]) {
        [upright[0], upright[1], upright[2]] = [normals[p], normals[p + 1], normals[p + 2]];
      }
      let side = flags & APART ? 0 : flags & SPLIT ? lift - thickness / 2 : lift;
      // Faces of sheets turn their backs to where the warp of the weave is on top.
      side *= flags & OVER ? 1 : -1;
      const at = i * 4;
      for (let k = 0; k < 3; k++) {
        this.places[at + k] = x[p + k] + upright[k] * side;
        this.uprights[at + k] = upright[k];
      }
      this.places[at + 3] = frame.strains[particle];
    }
    this.uniforms.places.value!.needsUpdate = true;
    this.uniforms.uprights.value!.needsUpdate = true;
    this.uniforms.strained.value = strained ? 1 : 0;
  }

  /** The upright of the first point of a yarn that has one. */
  private firstUpright(i: number, normals: Float32Array, to: number[]) {
    const { points } = this.topology!;
    for (let k = i; k < points.length / 2; k++) {
      const p = points[2 * k] * 3;
      if (normals[p] || normals[p + 1] || normals[p + 2]) {
        [to[0], to[1], to[2]] = [normals[p], normals[p + 1], normals[p + 2]];
        return;
      }
      if (points[2 * k + 1] & LAST) return;
    }
  }

  private bend(shader: THREE.WebGLProgramParametersWithUniforms, lit: boolean) {
    Object.assign(shader.uniforms, this.uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", `#include <common>\n${FUNCTIONS}`)
      .replace("#include <beginnormal_vertex>", "yarn();\nvec3 objectNormal = outward;")
      .replace("#include <begin_vertex>", `${lit ? "" : "yarn();"}\nvec3 transformed = onYarn;`);
    if (lit) {
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", `#include <common>\n${COLOURS}`)
        .replace("#include <color_fragment>", "diffuseColor.rgb = yarnColour();");
    }
  }
}

function texture(data: Float32Array, height: number): THREE.DataTexture {
  return new THREE.DataTexture(data, WIDTH, height, THREE.RGBAFormat, THREE.FloatType);
}

/** A tube of unit length around nothing: how far along and which way around each vertex is. */
function tube(sides: number, pieces: number): THREE.InstancedBufferGeometry {
  const geometry = new THREE.InstancedBufferGeometry();
  const vertices: number[] = [];
  const index: number[] = [];
  for (let piece = 0; piece <= pieces; piece++) {
    for (let side = 0; side < sides; side++) {
      vertices.push(piece / pieces, (side / sides) * 2 * Math.PI, 0);
    }
  }
  for (let piece = 0; piece < pieces; piece++) {
    for (let side = 0; side < sides; side++) {
      const [a, b] = [piece * sides + side, piece * sides + ((side + 1) % sides)];
      index.push(a, b, a + sides, b, b + sides, a + sides);
    }
  }
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(vertices, 3));
  geometry.setIndex(index);
  geometry.instanceCount = 0;
  return geometry;
}

const FUNCTIONS = `
uniform highp sampler2D places;
uniform highp sampler2D uprights;
uniform float radius;
attribute vec4 span;
attribute vec3 look;
varying vec4 vYarn;
vec3 outward, onYarn;
vec4 fetchAt(highp sampler2D from, float i) {
  int k = int(i + 0.5);
  return texelFetch(from, ivec2(k % ${WIDTH}, k / ${WIDTH}), 0);
}
void yarn() {
  float t = position.x;
  vec4 a = fetchAt(places, span.x), b = fetchAt(places, span.y);
  vec4 c = fetchAt(places, span.z), d = fetchAt(places, span.w);
  vec3 m = 0.5 * (c.xyz - a.xyz), n = 0.5 * (d.xyz - b.xyz);
  if (span.x == span.y) m = c.xyz - b.xyz;
  if (span.z == span.w) n = c.xyz - b.xyz;
  float t2 = t * t, t3 = t2 * t;
  vec3 centre = (2.0 * t3 - 3.0 * t2 + 1.0) * b.xyz + (t3 - 2.0 * t2 + t) * m
    + (3.0 * t2 - 2.0 * t3) * c.xyz + (t3 - t2) * n;
  vec3 along = (6.0 * t2 - 6.0 * t) * (b.xyz - c.xyz) + (3.0 * t2 - 4.0 * t + 1.0) * m + (3.0 * t2 - 2.0 * t) * n;
  along = normalize(along + 1e-9);
  vec3 up = mix(fetchAt(uprights, span.y).xyz, fetchAt(uprights, span.z).xyz, t);
  up = normalize(up - along * dot(up, along) + 1e-9);
  vec3 aside = cross(along, up);
  outward = cos(position.y) * aside + sin(position.y) * up;
  float torn = max(look.y * (1.0 - t), look.z * t);
  onYarn = centre + outward * radius * (1.0 - 0.75 * torn * torn);
  vYarn = vec4(look.x, torn, mix(b.w, c.w, t), 0.0);
}
`;

const COLOURS = `
varying vec4 vYarn;
uniform float strained;
uniform float limit;
vec3 yarnColour() {
  if (strained > 0.5) {
    float s = clamp(vYarn.z / limit, -1.0, 1.0);
    vec3 none = vec3(0.85, 0.85, 0.80);
    vec3 hot = s > 0.5 ? mix(vec3(0.71, 0.10, 0.04), vec3(0.27, 0.006, 0.02), s * 2.0 - 1.0)
      : mix(none, vec3(0.71, 0.10, 0.04), s * 2.0);
    vec3 cold = mix(none, vec3(0.01, 0.04, 0.20), -s);
    return s > 0.0 ? hot : cold;
  }
  vec3 warp = vec3(0.50, 0.085, 0.05), weft = vec3(0.74, 0.47, 0.29);
  return mix(mix(warp, weft, vYarn.x), vec3(0.93, 0.87, 0.75), 0.75 * vYarn.y);
}
`;
