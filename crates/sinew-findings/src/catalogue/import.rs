//! What importers report.

use crate::{Kind, Severity};

catalogue! {
    INFLUENCES_DROPPED: "skin.influences-dropped", Note, from 0.0, in "%",
        "vertices with more influences than are kept",
        "A vertex keeps its strongest influences, four unless eight are asked for; the rest is dropped and the weights are made to sum to one again.",
        "Import with eight influences if the loss shows.";
    WEIGHT_SUM: "skin.weights-not-one", Warning, from 1.0, in "%",
        "weights that do not sum to one",
        "The weights of some vertices sum to more or less than one. They were scaled so that they do; a tool that does not scale draws those vertices elsewhere.",
        "Normalise the weights in the authoring tool.";
    WEIGHT_INVALID: "skin.weight-invalid", Warning,
        "invalid weights",
        "Weights that are negative or not a number cannot be blended and were left out.",
        "Repaint the weights and export again.";
    SKIN_SLOTS: "skin.unusable-joint", Warning,
        "influences without a joint",
        "A skin refers to a joint that the file does not hold. Its weights were left out.",
        "Export the whole skeleton together with the mesh.";
    SKIN_SEVERAL: "skin.several", Warning,
        "more than one skin on the same vertices",
        "Several skins of a mesh move the same vertices. The weights of all were blended together, as the FBX SDK does; a program that deforms by one skin after the other, as Maya does, puts these vertices elsewhere. Vertices that only one skin moves are right either way.",
        "Merge the skins in the authoring tool, so that each vertex is moved by one.";
    TEXTURE_MISSING: "texture.missing", Warning,
        "a picture that was not found",
        "A material refers to a picture that lies at none of the places where pictures are looked for, or what lies there is not a regular file.",
        "Put the picture beside the model, or add its folder to the texture search.";
    TEXTURE_OUTSIDE: "texture.outside", Warning,
        "a picture outside the asset's folder",
        "A reference leads out of the folder of the asset. Such references are not followed, as a file from elsewhere could read anything by them.",
        "Copy the picture beside the model, add its folder to the texture search, or allow references outside.";
    TEXTURE_CASE: "texture.case", Note,
        "a picture whose name differs in case",
        "A material refers to a picture by a name that exists only with other upper and lower case letters. It was taken.",
        "Give the picture the name that the model says: other programs and systems may not find it.";
    TEXTURE_DAMAGED: "texture.damaged", Warning,
        "a picture that cannot be decoded",
        "The picture of a texture was found, but it is cut off, damaged, or of a format that is not read. It is kept as it is; programs show it as missing, or a part of it.",
        "Export or download the picture again, as PNG, JPEG, WebP, TGA, BMP, DDS or KTX2.";
    TEXTURE_LAYERED: "texture.layered", Note,
        "a texture made of layers",
        "A material's texture blends several pictures. The first one was taken.",
        "Bake the layers into one picture.";
    TAKE_EMPTY: "clip.empty-take", Note,
        "a take without curves",
        "The file declares a take that animates nothing. It was dropped.",
        "Nothing needs to be done.";
    CLIP_RENAMED: "clip.renamed", Note,
        "a clip named after its file",
        "The take bears a name that every file of its kind bears, so the clip takes the name of the file.",
        "Nothing needs to be done; give the file the name that the clip shall have.";
    CLIP_NO_RANGE: "clip.no-range", Note,
        "a take without a range",
        "The take does not say from when to when it lasts. The range of its keys was taken.",
        "Set the range of the take and export again.";
    CURVE_VALUE: "clip.value-invalid", Warning,
        "a curve with values that are not finite",
        "A curve of the clip gives a value that is not finite at some time; the joint rests there instead.",
        "Repair the curve and export again.";
    TOLERANCE_MISSED: "clip.tolerance-missed", Warning, from 1.0, in "tolerances",
        "keys that do not follow the curves closely enough",
        "Between keys the clip is off from the source's curves by more than the tolerance asked for, as keys in single precision cannot follow them.",
        "Move the character nearer to the origin, shorten the clip, or allow a larger tolerance.";
    NODE_CYCLE: "node.cycle", Warning,
        "nodes that are their own ancestors",
        "Some nodes of the file are below one another in a circle, so that no root leads to them. They and all that is below them were dropped.",
        "Repair the hierarchy in the authoring tool and export again.";
    NODE_UNNAMED: "node.unnamed", Note,
        "joints without a name",
        "Nodes without a name are called after their number in the file.",
        "Name the nodes, if clips of other files shall find them.";
    NODE_SHEAR: "node.shear", Warning, from 0.0001, in "of its size",
        "a transform that shears",
        "A node's transform cannot be written as translation, rotation and scale. The nearest that can was taken.",
        "Freeze uneven scales in the authoring tool.";
    NODE_SCALE_HELPER: "node.scale-helper", Note,
        "a scale that children do not inherit",
        "The scale of a joint was moved to a helper joint beside its children, which do not inherit it.",
        "Nothing needs to be done.";
    NODE_REST_INVALID: "node.rest-invalid", Warning,
        "a node whose transform is not finite",
        "A node's transform is NaN or infinite. It was taken as identity.",
        "Repair the node and export again.";
    SPACE_INVALID: "space.invalid", Warning,
        "invalid axes or unit",
        "The file's axes are not perpendicular to one another or its unit is not a positive length; they were ignored.",
        "Export again with axes and unit set.";
    MESH_LOOSE_VERTICES: "mesh.loose-vertices", Note,
        "vertices that no face uses",
        "They are kept behind the others, so that every vertex of the source has one here, but are never drawn.",
        "Delete them in the authoring tool.";
    MESH_DEGENERATE: "mesh.degenerate-faces", Note,
        "faces with fewer than three corners",
        "They cannot be drawn as triangles and were left out.",
        "Clean up the mesh in the authoring tool.";
    MESH_NOT_FINITE: "mesh.not-finite", Warning,
        "vertices that are not finite",
        "Positions or other vertex data that are not finite numbers were set to zero.",
        "Repair the mesh and export again.";
    MESH_UNUSED: "mesh.unused", Note,
        "a mesh that no node shows",
        "The file holds a mesh that no node of the scene shows. It was left out.",
        "Nothing needs to be done.";
    MESH_EMPTY: "mesh.empty", Warning,
        "a mesh without primitives",
        "The file says that there is a mesh, and nothing of what it consists of. There is nothing to show, and it was left out.",
        "Export the mesh again, or delete it in the authoring tool if nothing is missing.";
    GEOMETRY_UNSUPPORTED: "mesh.unsupported-geometry", Warning,
        "geometry that is not a mesh",
        "NURBS, curves, subdivision and geometry caches are not read; a cage of polygons is taken as it is.",
        "Convert to polygons and export again.";
    GEOMETRY_STROKES: "mesh.strokes", Note,
        "points or lines",
        "A mesh of a character has triangles only. Points and lines of the file became thin bars and small cubes, which move as their vertices do.",
        "Nothing needs to be done. For another width, make them meshes in the authoring tool.";
    MANIFEST_FIELD: "manifest.field-invalid", Warning,
        "a field of a manifest with a value of the wrong kind",
        "A field that should hold a number or a text holds something else. Its default was taken.",
        "Correct the field, or run `sinew manifest` on the folder.";
    MANIFEST_FILE_MISSING: "manifest.file-missing", Warning,
        "a manifest lists a file that is not there",
        "A clip or picture that the manifest lists lies neither where it says nor where exporters put it by default, or its path leads out of the folder. The clip cannot be played.",
        "Put the file where the manifest says, or run `sinew manifest` on the folder.";
    MANIFEST_CLIP_JOINTS: "manifest.clip-joints", Note,
        "a clip moves joints that the model does not have",
        "The clip's file was matched to the model by the names of joints. What moves joints without a counterpart was left out.",
        "Export the clip from the model's own skeleton if a movement is missing.";
    MANIFEST_CLIP_UNREADABLE: "manifest.clip-unreadable", Warning,
        "a clip of a manifest that could not be read",
        "The length of the clip could not be checked, and what the manifest says about it was left alone.",
        "Export the clip again.";
    MANIFEST_FOLDER: "manifest.folder-unreadable", Warning,
        "a folder that could not be searched",
        "Manifests in this folder and below were not found.",
        "Check the permissions of the folder.";
    FBX_WARNING: "fbx.reader-warning", Note,
        "something that the FBX reader noticed",
        "The file breaks a rule of its format in a way that its reader can mend.",
        "Export again with a newer exporter if the character looks wrong.";
    ROTATION_NOT_UNIT: "gltf.rotation-not-unit", Note, from 0.0001,
        "rotations that are not of length one",
        "A rotation is a quaternion of length one. Others were scaled; a program that does not scale shows the joint slightly sheared.",
        "Export again with a newer exporter.";
    GLTF_CHANNEL_IGNORED: "gltf.channel-ignored", Note,
        "channels that move nothing here",
        "Channels of an animation move a node outside the scene, weights of a mesh without morph targets, or something that is not animated here.",
        "Nothing needs to be done unless something should move that does not.";
    NOTHING_IN_IT: "character.nothing-in-it", Warning,
        "a file without a joint or a mesh",
        "The file is valid, but there is nothing in it that could be shown or moved.",
        "Check what was chosen when it was exported.";
    GLTF_ANIMATION_LEFT_OUT: "gltf.animation-left-out", Warning,
        "an animation of things that are not animated here",
        "None of its channels moves a joint or a morph weight: it animates materials, cameras, lights or the like, which are kept as they are.",
        "Nothing needs to be done unless the character should move in it.";
    MESH_ATTRIBUTES: "mesh.attributes-left-out", Note,
        "vertex data that is not read",
        "The file has data for each vertex that neither a picture nor a pose needs here. It is not kept.",
        "Nothing needs to be done unless another program needs it.";
    SCENES_LEFT_OUT: "gltf.other-scenes", Note,
        "a file with several scenes",
        "A character is one scene: the default one was read.",
        "Export the scene that is wanted into a file of its own.";
    GLTF_EXTENSION: "gltf.extension", Note,
        "an extension of glTF that is not read",
        "The file uses an extension that does not change its geometry, or that it can do without. What the extension adds is neither shown nor written.",
        "Nothing needs to be done, unless something is missing.";
    GLTF_HIDDEN: "gltf.hidden", Note,
        "a mesh that is hidden",
        "The file says that a node and all below it are not shown (`KHR_node_visibility`). Meshes of such nodes were left out; the nodes are joints like any other.",
        "Nothing needs to be done. To have the mesh, show its node in the authoring tool and export again.";
    GLTF_CAMERAS_LIGHTS: "gltf.cameras-lights", Note,
        "cameras or lights in the file",
        "A character has no cameras and lights of its own. Their nodes are joints like any other, so that what hangs on them stays in place.",
        "Nothing needs to be done.";
    CAMERAS_LIGHTS: "document.cameras-lights", Note,
        "cameras or lights in the file",
        "A character has no cameras and lights of its own, so those of the file were left out.",
        "Nothing needs to be done.";
    ENCODING: "document.encoding", Note,
        "text in an unknown encoding",
        "The document is neither UTF-8 nor UTF-16. Every byte was read as one character, so names may look odd.",
        "Export again as UTF-8.";
    REFERENCE_MISSING: "document.reference-missing", Warning,
        "a reference to something that is not there",
        "The document refers to a geometry, material or shape that it does not hold.",
        "If something is missing in the picture, export the named part together with the model. A material symbol without a material is drawn in grey: bind one to it in the authoring tool.";
    CHANNEL_UNRESOLVED: "collada.channel-unresolved", Warning,
        "a channel that moves nothing",
        "What an animation channel is meant to move could not be found, so it was left out.",
        "Check that the clip belongs to this character, and that node and transform have the names that the channel uses.";
    CHANNEL_IGNORED: "collada.channel-ignored", Note,
        "a channel that moves no joint",
        "An animation channel moves something outside a character, such as a light, a camera or a visibility.",
        "Nothing needs to be done.";
    CHANNEL_EMPTY: "collada.channel-empty", Warning,
        "a channel without keys",
        "The sampler of a channel is missing, or has no times or values that can be used.",
        "Export the animation again.";
    NO_TANGENTS: "collada.no-tangents", Warning,
        "cubic curves without tangents",
        "Curves are called BEZIER or HERMITE but have no tangents. They were read as straight lines.",
        "Nothing needs to be done if the exporter is known for it; else export tangents.";
    UNKNOWN_INTERPOLATION: "collada.unknown-interpolation", Warning,
        "an unknown interpolation",
        "The format does not define the curve's interpolation. It was read as straight lines.",
        "Export with baked or linear keys.";
    KEYS_UNSORTED: "clip.keys-unsorted", Warning,
        "keys that are not in order",
        "The times of a curve do not rise. The keys were sorted.",
        "Export the animation again.";
    EULER_UNIT: "collada.euler-unit", Note, from 0.0, in "degrees",
        "angles whose unit was inferred",
        "Rotation channels do not say whether they are degrees or radians. One unit and order were chosen for the whole file; the measure is how far rotations at time zero are from the rest on average.",
        "Set the unit by hand if the character is twisted.";
    EULER_DISAGREES: "collada.euler-disagrees", Warning, from 0.0, in "degrees",
        "a joint whose angles seem to be in another unit",
        "The rotation of this joint would be much nearer to its rest if its channels had the other unit.",
        "Set the unit by hand if this joint is twisted.";
    NODE_SHEAR_SPLIT: "node.shear-split", Note, from 0.0001, in "of its size",
        "a transform that shears",
        "A node's transform cannot be written as translation, rotation and scale; a helper joint below it holds the rest.",
        "Nothing needs to be done.";
    SKIN_NO_BIND: "skin.no-bind", Warning,
        "joints without an inverse bind matrix",
        "A skin does not say where some of its joints stood when the mesh was bound. Where they rest was taken instead.",
        "Export the bind pose together with the mesh.";
    MATERIAL_CONVERTED: "material.converted", Note,
        "a surface of an older model",
        "The material was described by specular reflection; it was converted to metal and roughness, and looks nearly the same.",
        "Nothing needs to be done. For full control, describe the material by metal and roughness.";
    BUMP_CONVERTED: "material.bump-converted", Note,
        "a bump map converted to a normal map",
        "The material has a map of heights. Normals were computed from it, with a relief that may be flatter or steeper than the authoring tool shows.",
        "Nothing needs to be done. For full control, bake a normal map.";
    TEXTURE_NOT_CONVERTED: "material.texture-not-converted", Warning,
        "a texture that could not be converted",
        "The material is of an older model, whose textures mean something else. This one could not be decoded, or does not fit together with another; the material is shown without it.",
        "Convert the material to metal and roughness in the authoring tool. If a limit is named, raise it.";
    MATERIAL_EXTENSION: "material.extension", Note,
        "a part of a material that is not kept",
        "The material has a part, such as clear coat or sheen, that is neither drawn nor written. The rest of the material was taken.",
        "Nothing needs to be done, unless the look depends on it.";
    MATERIAL_TEXTURE_INVALID: "material.texture-invalid", Warning,
        "a texture of a material that cannot be read",
        "What the material says about a texture has no index or values of a wrong kind, or leads to no picture that is read. The material is shown without that texture.",
        "Export the file again.";
    MATERIAL_UV_SETS: "material.uv-sets", Warning,
        "more than two sets of texture coordinates",
        "A mesh keeps two sets of texture coordinates, and the material uses more. Textures of the others were left out.",
        "Use at most two sets of texture coordinates in one material.";
    MATERIAL_ALPHA_MODE: "material.alpha-mode", Warning,
        "a kind of transparency that is not known",
        "The material names a kind of transparency that glTF does not have. It was taken as opaque.",
        "Use OPAQUE, MASK or BLEND as `alphaMode`, or export the file again.";
    MATERIAL_INVISIBLE: "material.invisible", Note,
        "a material that cannot be seen",
        "Exporters disagree about what transparency means; a material that would be invisible was taken as opaque.",
        "Nothing needs to be done, unless it is meant to be invisible.";
    MORPH_MISMATCH: "mesh.morph-mismatch", Warning,
        "a morph target with another number of vertices",
        "A morph target must have a vertex for each vertex of its mesh. It was left out.",
        "Export the shapes again from one mesh.";
    POLYGON_LARGE: "mesh.polygon-large", Note,
        "polygons with very many corners",
        "Polygons beyond 512 corners are cut as if they were convex.",
        "Triangulate the mesh in the authoring tool.";
    BVH_UNIT: "bvh.unit", Note,
        "a unit that was guessed",
        "BVH files do not say how long their unit is. Of the units in use, the one was taken with which the figure is nearest to the size of a grown human.",
        "Give the unit (`bvh_unit`) if the figure is of another size.";
    BVH_UP: "bvh.up", Warning,
        "a figure that lies along Z",
        "BVH files do not say which way is up, and +Y was taken. In most frames the figure is much longer along Z than it is high, as it is in a file that means +Z.",
        "Import with `bvh_up = \"z\"` (`--bvh-up z`), unless the figure lies or goes on all fours.";
    BVH_RATE: "bvh.rate", Warning,
        "a frame time that cannot be meant",
        "The file does not say how long a frame takes, or says something impossible. The usual rate was taken.",
        "Give the rate (`bvh_rate`) if the motion is too fast or too slow.";
    BVH_FRAMES: "bvh.frames", Warning,
        "another number of frames than the file says",
        "The file may have been cut off or edited. Every frame in it was read.",
        "Export the file again if motion is missing.";
    BVH_REST_FRAME: "bvh.rest-frame", Warning,
        "a frame for the rest that does not exist",
        "The frame that should be the rest is not in the file. The rest has no rotations instead.",
        "Name a frame that is there.";
    BVH_SCALE: "bvh.scale", Warning,
        "channels of scale",
        "Some programs add channels of scale to BVH, about whose meaning they do not agree. They were left out.",
        "Export without scale, or in another format.";
    VRM_TURNED: "vrm.turned", Note,
        "a model that was turned round",
        "Models of VRM 0.x face −Z. Roots, skinned vertices and binds were turned by half a turn about the up axis, so that it faces +Z as everything here does.",
        "Nothing needs to be done. Import with the file's own space to keep it as it is.";
    VRM_SPRINGS: "vrm.springs", Note,
        "joints that swing by themselves in other programs",
        "VRM says how hair and clothes swing (spring bones). That is computed while a game runs, and is not done here: the joints stay as the clips have them.",
        "Bake the motion into the clips if it matters.";
    VRM_CONSTRAINTS: "vrm.constraints", Note,
        "joints that follow others in other programs",
        "VRM may say that a joint rolls, aims or turns with another. That is not done here: the joints stay as the clips have them.",
        "Bake the motion into the clips if it matters.";
    VRM_EXPRESSION: "vrm.expression", Note,
        "an expression that changes more than morph weights",
        "Expressions of VRM may change colours and texture coordinates of materials. Their morph weights were taken over.",
        "Nothing needs to be done, unless the colours matter.";
    VRM_MTOON: "vrm.mtoon", Note,
        "materials that are shaded like drawings",
        "MToon of VRM has a colour for shadow, rims and outlines. Colour, textures, transparency and sides were taken over.",
        "Nothing needs to be done, unless the style matters.";
    XNB_TAG: "xnb.tag", Warning,
        "a tag of a model that is not read",
        "Games keep bones and clips in a model's tag, each in its own way. Skinning data of versions 1 and 2 is read, this is something else: the model has no clips here.",
        "Import the character's source file instead.";
    XNB_UNBOUND: "xnb.unbound", Warning,
        "skinned meshes without skinning data",
        "Vertices refer to bones by numbers, and the file does not say which bones these are. The meshes are shown as they were bound, and do not move.",
        "Import the character's source file instead.";
    XNB_BONES: "xnb.bones", Note,
        "skinning data with other bones than its model",
        "The numbers of bones differ, so those of the skinning data have no names here.",
        "Nothing is lost from the picture. Clips of other files cannot be merged by name.";
    XNB_CHUNK: "xnb.chunk", Note,
        "a part of skinning data that is not read",
        "Skinning data of version 2 may have parts of a newer kind. They were skipped.",
        "Use a newer version of this program to see them.";
    XNB_ENCODING: "xnb.encoding", Warning,
        "a clip whose keys are encoded in an unknown way",
        "Skinning data of version 2 may have keys in a newer encoding. The clip was left out.",
        "Use a newer version of this program, or build the file again.";
    XNB_CLIP_FILE: "xnb.clip-file", Warning,
        "a clip in a file of its own that could not be used",
        "A model names clips that lie in files beside it. This one was not found, or does not fit.",
        "Copy the whole folder that was built, with all its files.";
    XNB_TEXTURE: "xnb.texture", Warning,
        "a texture that is not read",
        "A texture beside the model is damaged, or stored in a way that is not read.",
        "Build it again from its picture.";
    XNB_TEXTURE_ALONE: "xnb.texture-alone", Note,
        "a file with a texture and no model",
        "The file holds a texture. It is shown on a rectangle.",
        "Name the file of the model to see the model.";
    XNB_EFFECT: "xnb.effect", Note,
        "an effect of another kind",
        "The material is drawn by an effect that is not taken over. Its colour and its first texture are shown.",
        "Nothing needs to be done, unless the effect matters.";
}
