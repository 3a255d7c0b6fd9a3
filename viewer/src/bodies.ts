// Solids, where they are.

import * as THREE from "three";
import type { Solids } from "./wire";

/** A solid this many times as wide as it is high is a floor. */
const FLAT = 50;

export class Bodies {
  readonly group = new THREE.Group();
  private readonly material = new THREE.MeshStandardMaterial({ color: 0x8da2b5, roughness: 0.55, side: THREE.DoubleSide });
  private readonly floorMaterial = new THREE.MeshStandardMaterial({ color: 0xd3d7dc, roughness: 0.95, side: THREE.DoubleSide });

  set(solids: Solids) {
    for (const child of this.group.children) (child as THREE.Mesh).geometry.dispose();
    this.group.clear();
    for (const surface of solids.surfaces) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(surface.positions, 3));
      geometry.setIndex(new THREE.BufferAttribute(surface.triangles, 1));
      geometry.computeBoundingBox();
      const size = geometry.boundingBox!.getSize(new THREE.Vector3());
      const flat = size.y * FLAT < Math.max(size.x, size.z);
      const smooth = geometry.toNonIndexed();
      geometry.computeVertexNormals();
      smooth.computeVertexNormals();
      // Few triangles have edges to be seen, many are round.
      const mesh = new THREE.Mesh(surface.triangles.length < 300 ? smooth : geometry, flat ? this.floorMaterial : this.material);
      mesh.castShadow = !flat;
      mesh.receiveShadow = true;
      mesh.matrixAutoUpdate = false;
      mesh.userData.flat = flat;
      this.group.add(mesh);
    }
  }

  place(poses: Float32Array) {
    this.group.children.forEach((mesh, i) => {
      const p = poses.subarray(i * 12, i * 12 + 12);
      if (p.length < 12) return;
      mesh.matrix.set(p[0], p[3], p[6], p[9], p[1], p[4], p[7], p[10], p[2], p[5], p[8], p[11], 0, 0, 0, 1);
      mesh.matrixWorld.copy(mesh.matrix);
    });
  }

  /** The boxes around all but floors. */
  boxes(): THREE.Box3[] {
    const solid = this.group.children.filter((mesh) => !mesh.userData.flat) as THREE.Mesh[];
    return solid.map((mesh) => {
      mesh.geometry.computeBoundingBox();
      return mesh.geometry.boundingBox!.clone().applyMatrix4(mesh.matrix);
    });
  }

  hasFloor(): boolean {
    return this.group.children.some((mesh) => mesh.userData.flat);
  }

  /** The solid that a ray meets first, and where; floors are not taken hold of. */
  pick(ray: THREE.Raycaster): { solid: number; point: THREE.Vector3; distance: number } | null {
    const hit = ray.intersectObjects(this.group.children, false).find((hit) => !hit.object.userData.flat);
    if (!hit) return null;
    return { solid: this.group.children.indexOf(hit.object), point: hit.point, distance: hit.distance };
  }

  /** Where the origin of a solid is. */
  origin(solid: number): THREE.Vector3 {
    return new THREE.Vector3().setFromMatrixPosition(this.group.children[solid].matrix);
  }
}
