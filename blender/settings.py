# SPDX-License-Identifier: GPL-3.0-or-later
"""What is set for an object and kept in the .blend file."""

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

FABRICS = ("canvas", "cotton", "denim", "polyester", "silk", "wool")
#: What is not computed anew by a keyframe cannot have one.
FIXED = set()


def _fabric_items():
    named = [(name.upper(), name.capitalize(), f"The fabric {name}") for name in FABRICS]
    return [*named, ("OWN", "Own Values", "Values of your own, in SI units")]


def _show_strain(settings, _context):
    from . import strain

    strain.update(settings.id_data)


class TaffetaSettings(bpy.types.PropertyGroup):
    """Of an object."""

    role: EnumProperty(
        name="Role",
        items=[
            ("NONE", "None", "Takes no part"),
            ("CLOTH", "Cloth", "Is cloth"),
            ("SOLID", "Solid", "Cloth cannot enter it"),
        ],
        options=FIXED,
    )
    # Cloth
    fabric: EnumProperty(name="Fabric", items=_fabric_items(), default="COTTON", options=FIXED)
    density: FloatProperty(
        name="Density", description="Mass per area [kg/m²]", default=0.12, min=1e-4, precision=4,
        options=FIXED,
    )
    cloth_thickness: FloatProperty(
        name="Thickness", description="Distance that layers keep from each other", default=5e-4,
        min=1e-6, precision=5, unit="LENGTH", options=FIXED,
    )
    stretch: FloatProperty(
        name="Stretch", description="Tension per width and strain along the yarns [N/m]",
        default=4000.0, min=1e-3, options=FIXED,
    )
    shear: FloatProperty(
        name="Shear", description="Shear force per width and angle [N/m]", default=100.0, min=0.0,
        options=FIXED,
    )
    bending: FloatProperty(
        name="Bending", description="Bending rigidity [µN·m]: silk 2, denim 100", default=10.0,
        min=0.0, options=FIXED,
    )
    limited: BoolProperty(
        name="Limit Stretch", description="Keep the cloth from stretching further than this",
        default=True, options=FIXED,
    )
    limit: FloatProperty(
        name="Limit", description="The most the cloth may stretch", default=1.0, min=0.01, max=100.0,
        subtype="PERCENTAGE", precision=2, options=FIXED,
    )
    self_contact: BoolProperty(
        name="Self-Contact", description="Keep the cloth off itself", default=False, options=FIXED
    )
    tear: BoolProperty(
        name="Tear", description="Yarns tear by their tension; for flat grids", default=False,
        options=FIXED,
    )
    strength: FloatVectorProperty(
        name="Strength", description="The tension that tears a yarn [N]: each place draws its own "
        "between the two", size=2, default=(1.0, 2.0), min=1e-4, options=FIXED,
    )
    pin_group: StringProperty(
        name="Pin Group", description="Vertex group that is held: wholly at weight 1, by springs "
        "below. Held vertices follow what moves the mesh: bones, hooks, its parents", options=FIXED,
    )
    pin_stiffness: FloatProperty(
        name="Pull", description="Stiffness of the spring that holds a vertex of weight just below 1 "
        "[N/m]", default=10.0, min=0.0, options=FIXED,
    )
    hold: BoolProperty(
        name="Hold", description="Whether the pins hold; a keyframe lets go", default=True
    )
    sew: BoolProperty(
        name="Sew", description="Draw the ends of loose edges together", default=False, options=FIXED
    )
    # Solid
    solid_thickness: FloatProperty(
        name="Distance", description="Distance that cloth keeps from the surface", default=2e-3,
        min=1e-5, precision=4, unit="LENGTH", options=FIXED,
    )
    friction: FloatProperty(
        name="Friction", description="Coulomb's coefficient: cloth stays on slopes up to this tangent",
        default=0.3, min=0.0, options=FIXED,
    )
    # The bake
    folder: StringProperty(
        name="Folder", description="Where the bake is kept; beside the .blend file without it",
        subtype="DIR_PATH", options=FIXED,
    )
    baked: BoolProperty(options=FIXED)
    baked_folder: StringProperty(options=FIXED)
    baked_first: IntProperty(options=FIXED)
    baked_last: IntProperty(options=FIXED)
    wanted_last: IntProperty(options=FIXED)
    status: StringProperty(options=FIXED)
    problem: StringProperty(options=FIXED)
    certificate: StringProperty(options=FIXED)
    holds: BoolProperty(options=FIXED)
    show_strain: BoolProperty(
        name="Strain as Colours", description="Write how far the cloth is stretched, against its "
        "limit, to the colour attribute taffeta_strain", default=False, update=_show_strain,
        options=FIXED,
    )


class TaffetaScene(bpy.types.PropertyGroup):
    """Of a scene."""

    samples: IntProperty(
        name="Samples per Frame", description="How often in a frame the motion of solids and pins is "
        "looked at; between, they move in straight lines", default=2, min=1, max=32, options=FIXED,
    )
    threads: IntProperty(
        name="Threads", description="Threads of the bake, 0 for all cores; the result is the same",
        default=0, min=0, max=1024, options=FIXED,
    )


_CLASSES = (TaffetaSettings, TaffetaScene)


def register():
    for each in _CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Object.taffeta = PointerProperty(type=TaffetaSettings)
    bpy.types.Scene.taffeta = PointerProperty(type=TaffetaScene)


def unregister():
    del bpy.types.Object.taffeta
    del bpy.types.Scene.taffeta
    for each in reversed(_CLASSES):
        bpy.utils.unregister_class(each)
