# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene of Taffeta from a scene of Blender: cloth, pins, solids, wind and gravity, in metres with
y up, looked at frame by frame."""

import contextlib

import bpy
import numpy as np

from . import grids
from .axes import metres, to_taffeta, world
from .loads import Loads
from .motion import Motion, holds, moving_pins
from .roles import DEFORMERS, MODIFIER, results, solids


class Refusal(Exception):
    """Something that cannot be baked, in words for the user."""


def vertices(mesh):
    points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3).astype(np.float64)


def corners_of(mesh):
    """The faces of a mesh, to compare: how many corners each has, and which."""
    totals = np.empty(len(mesh.polygons), dtype=np.int32)
    mesh.polygons.foreach_get("loop_total", totals)
    corners = np.empty(len(mesh.loops), dtype=np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    return len(mesh.vertices), totals.tobytes(), corners.tobytes()


def triangles_of(mesh, mirrored):
    """The faces cut into triangles; a mirrored mesh is turned inside out by its mirror."""
    mesh.calc_loop_triangles()
    corners = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", corners)
    corners = corners.reshape(-1, 3)
    return corners[:, ::-1] if mirrored else corners


@contextlib.contextmanager
def unplayed(cloth):
    """The cloth without its bake and whatever comes after: its start, and where pins are led. Where
    it tore it is hidden behind what was made of it."""
    hidden = bool(results(cloth)) and cloth.hide_get()
    if hidden:
        cloth.hide_set(False)
    found = cloth.modifiers.find(MODIFIER)
    later = [m for m in list(cloth.modifiers)[max(found, 0):] if m.show_viewport]
    for modifier in later:
        modifier.show_viewport = False
    try:
        yield
    finally:
        for modifier in later:
            modifier.show_viewport = True
        if hidden:
            cloth.hide_set(True)


@contextlib.contextmanager
def frame_kept(scene):
    frame, part = scene.frame_current, scene.frame_subframe
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=part)


def refuse_unfit(context, cloth):
    """All that can be said before anything is looked at."""
    for thing in [cloth, *solids(context.scene)]:
        if thing.name not in context.view_layer.objects or not thing.visible_get():
            what = "cloth" if thing == cloth else "a solid"
            raise Refusal(f"{thing.name} is {what} but hidden, so that Blender does not evaluate it: "
                          "show it, or make it neither")
        if thing.mode == "EDIT":
            raise Refusal(f"{thing.name} is in edit mode: leave it with Tab")
    player = cloth.modifiers.find(MODIFIER)
    for modifier in list(cloth.modifiers)[:max(player, 0)]:
        if modifier.type not in DEFORMERS and modifier.show_viewport:
            raise Refusal(f"{cloth.name}: the modifier {modifier.name} may change how many vertices "
                          f"there are: apply it, or move it below {MODIFIER}")
    for thing in [cloth, *solids(context.scene)]:
        if abs(np.linalg.det(np.array(thing.matrix_world)[:3, :3])) < 1e-12:
            raise Refusal(f"{thing.name} has a scale of zero")
    mesh = cloth.data
    if not len(mesh.polygons):
        raise Refusal(f"{cloth.name} has no faces")
    many = sum(len(face.vertices) > 4 for face in mesh.polygons)
    if many:
        raise Refusal(f"{cloth.name} has {many} faces of five corners or more: triangulate them "
                      "(Face > Triangulate Faces)")
    refuse_loose(cloth)
    if cloth.taffeta.tear and not bpy.app.build_options.alembic:
        raise Refusal("this Blender was built without Alembic, by which torn cloth is shown: take the "
                      "one from blender.org, or turn off Tear")
    group = cloth.taffeta.pin_group
    if group and group not in cloth.vertex_groups:
        raise Refusal(f"{cloth.name} has no vertex group {group}, which is to be pinned")
    if context.scene.frame_end <= context.scene.frame_start:
        raise Refusal("the scene has no frames after its first")


def loose(mesh):
    """Vertices of no face, and edges of no face."""
    used = np.zeros(len(mesh.vertices), dtype=bool)
    corners = np.empty(len(mesh.loops), dtype=np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    used[corners] = True
    of_faces = {tuple(sorted(key)) for face in mesh.polygons for key in face.edge_keys}
    edges = [key for key in map(tuple, mesh.edge_keys) if tuple(sorted(key)) not in of_faces]
    return np.flatnonzero(~used), edges


def refuse_loose(cloth):
    points, edges = loose(cloth.data)
    if len(points):
        raise Refusal(f"{cloth.name} has {len(points)} vertices without a face: delete them "
                      "(Mesh > Clean Up > Delete Loose)")
    if cloth.taffeta.tear and edges:
        raise Refusal(f"{cloth.name} has sewing edges, and cloth that tears has no seams")
    if edges and not cloth.taffeta.sew:
        raise Refusal(f"{cloth.name} has {len(edges)} edges without a face: turn on Sew to draw their "
                      "ends together, or delete them (Mesh > Clean Up > Delete Loose)")
    if cloth.taffeta.sew and not edges and not cloth.taffeta.tear:
        raise Refusal(f"{cloth.name} is to be sewn, but has no edges without a face: bridge its borders "
                      "with edges (select two vertices and press F)")


def moments(scene):
    """The times to look at: frame, part of a frame, seconds since the first."""
    rate, samples = rate_of(scene), scene.taffeta.samples
    for number in range((scene.frame_end - scene.frame_start) * samples + 1):
        frame, part = divmod(number, samples)
        yield scene.frame_start + frame, part / samples, number / (samples * rate)


def rate_of(scene):
    return scene.render.fps / scene.render.fps_base


class Gathered:
    """What was looked at: all that a bake needs."""

    def __init__(self, context, cloth):
        scene = context.scene
        self.cloth, self.scene, self.unit = cloth, scene, metres(scene)
        self.bodies = {thing.name: Motion() for thing in solids(scene)}
        self.shape, self.matrices, self.held, self.times = Motion(), [], [], []
        self.loads = Loads()
        pinned = bool(cloth.taffeta.pin_group)
        progress = context.window_manager
        progress.progress_begin(0, max(scene.frame_end - scene.frame_start, 1))
        with frame_kept(scene), unplayed(cloth):
            refuse_unfit(context, cloth)
            for frame, part, seconds in moments(scene):
                scene.frame_set(frame, subframe=part)
                depsgraph = context.evaluated_depsgraph_get()
                self.times.append(seconds)
                self.held.append(cloth.taffeta.hold)
                self.loads.look(scene, depsgraph)
                if pinned or not self.shape.moments:
                    self.look_at_cloth(depsgraph)
                if part == 0:
                    self.matrices.append(np.array(cloth.evaluated_get(depsgraph).matrix_world))
                for name, motion in self.bodies.items():
                    self.look_at_solid(depsgraph, scene.objects[name], motion)
                progress.progress_update(frame - scene.frame_start)
        progress.progress_end()

    def look_at_cloth(self, depsgraph):
        evaluated = self.cloth.evaluated_get(depsgraph)
        mesh = evaluated.to_mesh()
        points = to_taffeta(world(vertices(mesh), evaluated.matrix_world), self.unit)
        evaluated.to_mesh_clear()
        if len(points) != len(self.cloth.data.vertices):
            raise Refusal(f"{self.cloth.name}: its modifiers make {len(points)} vertices of "
                          f"{len(self.cloth.data.vertices)}: apply them, or move them below {MODIFIER}")
        self.shape.add(points)

    def look_at_solid(self, depsgraph, thing, motion):
        evaluated = thing.evaluated_get(depsgraph)
        mesh = evaluated.to_mesh()
        points = to_taffeta(world(vertices(mesh), evaluated.matrix_world), self.unit)
        built = corners_of(mesh)
        if motion.faces is None:
            # How a quad is cut depends on its shape: as at the first moment, for all of them.
            motion.faces = triangles_of(mesh, evaluated.matrix_world.determinant() < 0)
            motion.built = built
        evaluated.to_mesh_clear()
        if not len(motion.faces):
            raise Refusal(f"{thing.name} is a solid without faces")
        if built != motion.built:
            raise Refusal(f"{thing.name} is a solid whose faces change at frame "
                          f"{self.scene.frame_current}: a solid may deform, but keeps its faces")
        motion.add(points)

    def make(self):
        """The scene for the simulator."""
        import taffeta

        kept = self.cloth.taffeta
        made = taffeta.Scene(bpy.path.clean_name(self.cloth.name))
        made.set("frames", {"rate": rate_of(self.scene), "start": self.scene.frame_start,
                            "count": self.scene.frame_end - self.scene.frame_start})
        self.loads.give(made, self.times)
        self.add_cloth(made, taffeta)
        if kept.limited and not kept.tear:
            made.limits(extension=kept.limit / 100)
        if not kept.tear:
            # As the simulator does by itself where there is something to touch.
            made.set("step.max", 1 / 240)
            if not kept.limited:
                made.set("integrator.implicit", {})
        if kept.self_contact and not kept.tear:
            made.contact(friction=0.3)
        self.promise(made)
        self.add_pins(made)
        for name, motion in self.bodies.items():
            self.add_solid(made, self.scene.objects[name].taffeta, motion)
        return made

    def promise(self, made):
        """What Check is to prove."""
        kept = self.cloth.taffeta
        if kept.limited and not kept.tear:
            made.set("check.extension", kept.limit / 100)
        if kept.self_contact and not kept.tear:
            made.set("check.intersections", 0)
        if self.bodies:
            made.set("check.inside", 0)

    def add_cloth(self, made, taffeta):
        kept, start = self.cloth.taffeta, self.shape.moments[0]
        fabric = kept.fabric.lower()
        if kept.fabric == "OWN":
            fabric = {
                "density": kept.density, "thickness": kept.cloth_thickness * self.unit,
                "stretch": kept.stretch, "shear": kept.shear, "bending": kept.bending * 1e-6,
            }
        if kept.tear:
            grid = grids.of(start, [tuple(face.vertices) for face in self.cloth.data.polygons])
            if grid is None:
                raise Refusal(f"{self.cloth.name} is to tear, which takes a flat grid as Add > Mesh > "
                              "Grid makes it, its corners in their first order")
            sheet = taffeta.Sheet(size=grid.size, particles=grid.particles)
            made.add(sheet, fabric=fabric, position=grid.position, rotation=grid.rotation)
            made.tear(strength=list(kept.strength))
            return
        faces = [list(face.vertices) for face in self.cloth.data.polygons]
        made.add((start, faces), fabric=fabric)
        if kept.sew:
            _, edges = loose(self.cloth.data)
            made.seam([edge[0] for edge in edges], [edge[1] for edge in edges])

    def weights(self):
        """The weight of each vertex in the pin group."""
        weights = np.zeros(len(self.cloth.data.vertices))
        group = self.cloth.vertex_groups.get(self.cloth.taffeta.pin_group)
        if group is not None:
            for vertex in self.cloth.data.vertices:
                for member in vertex.groups:
                    if member.group == group.index:
                        weights[vertex.index] = member.weight
        return weights

    def add_pins(self, made):
        weights = self.weights()
        held = np.flatnonzero(weights > 0.999)
        pulled = np.flatnonzero((weights > 0) & (weights <= 0.999))
        if not len(held) and not len(pulled):
            return
        path = np.stack(self.shape.moments)
        for begin, end in holds(self.held, self.times):
            lasting = {"from": begin} | ({} if end is None else {"until": end})
            for particles, keys in moving_pins(path, held, self.times):
                made.pin(particles=particles, key=keys, **lasting)
            for vertex in pulled:
                [(_, keys)] = moving_pins(path, [vertex], self.times)
                made.pull(particle=int(vertex), key=keys, **lasting,
                          stiffness=self.cloth.taffeta.pin_stiffness * float(weights[vertex]))

    def add_solid(self, made, kept, motion):
        keys = {"thickness": kept.solid_thickness * self.unit, "friction": kept.friction}
        if motion.rests():
            made.solid((motion.moments[0], motion.faces), **keys)
            return
        rate = rate_of(self.scene) * self.scene.taffeta.samples
        made.solid((np.stack(motion.moments), motion.faces), rate=rate, **keys)
