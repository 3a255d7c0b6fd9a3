// Runs the Khronos validator over a GLB file, then decodes it and compares every frame with what
// was written.
//
// Usage: node check_glb.mjs TOOLS FILE EXPECTED.json
// where TOOLS is the folder that holds node_modules/gltf-validator.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [tools, path, expectedPath] = process.argv.slice(2);
const validator = createRequire(join(resolve(tools), "package.json"))("gltf-validator");
const file = new Uint8Array(readFileSync(path));
const expected = JSON.parse(readFileSync(expectedPath, "utf8"));

const { issues } = await validator.validateBytes(file, { maxIssues: 20 });
// Texture coordinates stay, for whoever puts a texture on the cloth; the file itself has none.
const expectedRemark = ({ code, pointer }) =>
  code === "UNUSED_OBJECT" && pointer === "/meshes/0/primitives/0/attributes/TEXCOORD_0";
assert.deepEqual(issues.messages.filter((message) => !expectedRemark(message)), []);

const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
const jsonLength = view.getUint32(12, true);
const gltf = JSON.parse(new TextDecoder().decode(file.subarray(20, 20 + jsonLength)));
const binaryStart = 20 + jsonLength + 8;

const sizes = { SCALAR: 1, VEC2: 2, VEC3: 3 };
const components = {
  5121: [1, (at) => view.getUint8(at)],
  5125: [4, (at) => view.getUint32(at, true)],
  5126: [4, (at) => view.getFloat32(at, true)],
};

/** The elements of an accessor, each a list of numbers. */
function elements(index) {
  const accessor = gltf.accessors[index];
  const bufferView = gltf.bufferViews[accessor.bufferView];
  const [width, read] = components[accessor.componentType];
  const size = sizes[accessor.type];
  const stride = bufferView.byteStride ?? width * size;
  const start = binaryStart + (bufferView.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
  const list = (length, item) => Array.from({ length }, (_, i) => item(i));
  return list(accessor.count, (i) => list(size, (c) => read(start + i * stride + c * width)));
}

const first = expected.frames[0];
const [primitive] = gltf.meshes[0].primitives;
const base = elements(primitive.attributes.POSITION);
const baseNormals = elements(primitive.attributes.NORMAL);
const indices = elements(primitive.indices).flat();
const vertexOf = checkTopology();
const largestError = checkFrames();
console.log(
  `${path}: validator clean, ${expected.frames.length} frames, ` +
    `largest position error ${largestError.toExponential(2)} m`,
);

/** Finds the vertex of every point through the triangles, and checks texture coordinates. */
function checkTopology() {
  const corners = [];
  let start = 0;
  for (const count of first.counts) {
    for (let i = 2; i < count; i++) corners.push(start, start + i - 1, start + i);
    start += count;
  }
  assert.equal(indices.length, corners.length);
  const uvs = first.uvs.length > 0 ? elements(primitive.attributes.TEXCOORD_0) : null;
  assert.equal(uvs === null, !("TEXCOORD_0" in primitive.attributes));
  const vertices = new Array(base.length);
  const pairs = new Set();
  corners.forEach((corner, i) => {
    const [point, vertex] = [indices[i], first.corners[corner]];
    assert.equal(vertices[point] ?? vertex, vertex, "a point stands for one vertex");
    vertices[point] = vertex;
    if (uvs) {
      const [u, v] = first.uvs[corner];
      assert.deepEqual(uvs[point], [u, Math.fround(1 - v)]);
      pairs.add(`${vertex} ${u} ${v}`);
    }
  });
  assert.equal(base.length, uvs ? pairs.size : first.positions.length, "no point too many");
  return vertices;
}

/** Plays the animation at each key and compares; returns the largest error of a position. */
function checkFrames() {
  const frames = expected.frames;
  if (frames.length === 1) {
    assert.equal(gltf.animations, undefined);
    return compare(first, []);
  }
  const [{ input, output, interpolation }] = gltf.animations[0].samplers;
  assert.equal(interpolation, "LINEAR");
  assert.deepEqual(gltf.animations[0].channels[0].target, { node: 0, path: "weights" });
  const times = elements(input).flat();
  const weights = elements(output).flat().map((byte) => byte / 255);
  const targets = primitive.targets.map((target) => ({
    positions: elements(target.POSITION),
    normals: elements(target.NORMAL),
  }));
  assert.equal(times.length, frames.length);
  assert.equal(weights.length, times.length * targets.length);
  const errors = frames.map((frame, key) => {
    assert.equal(times[key], Math.fround((frame.number - first.number) / expected.rate));
    const row = weights.slice(key * targets.length, (key + 1) * targets.length);
    const active = targets.map((target, i) => ({ ...target, weight: row[i] }));
    return compare(frame, active.filter(({ weight }) => weight > 0));
  });
  return Math.max(...errors);
}

function compare(frame, active) {
  const morphed = (values, name, i, axis) =>
    active.reduce((sum, target) => sum + target.weight * target[name][i][axis], values[i][axis]);
  const normals = smoothNormals(frame);
  let error = 0;
  vertexOf.forEach((vertex, i) => {
    for (let axis = 0; axis < 3; axis++) {
      const position = morphed(base, "positions", i, axis);
      const normal = morphed(baseNormals, "normals", i, axis);
      error = Math.max(error, Math.abs(position - frame.positions[vertex][axis]));
      assert.ok(Math.abs(normal - normals[vertex][axis]) < 1e-5, `normal of vertex ${vertex}`);
    }
  });
  assert.ok(error < 2e-7, `frame ${frame.number}: positions differ by ${error}`);
  return error;
}

/** Normals by area over the triangles as vertices, so across texture seams. */
function smoothNormals(frame) {
  const sums = frame.positions.map(() => [0, 0, 0]);
  for (let i = 0; i < indices.length; i += 3) {
    const triangle = indices.slice(i, i + 3).map((point) => vertexOf[point]);
    const [a, b, c] = triangle.map((vertex) => frame.positions[vertex]);
    const [p, q] = [b, c].map((end) => end.map((value, axis) => value - a[axis]));
    const minor = (y, z) => p[y] * q[z] - p[z] * q[y];
    const area = [minor(1, 2), minor(2, 0), minor(0, 1)];
    triangle.forEach((vertex) => area.forEach((value, axis) => (sums[vertex][axis] += value)));
  }
  return sums.map((sum) => sum.map((value) => value / Math.hypot(...sum)));
}
