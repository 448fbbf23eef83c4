//! What writers report: what a target format cannot hold.

use crate::{Kind, Severity};

catalogue! {
    TEXTURE_FORMAT: "glb.texture-format", Warning,
        "a picture that glTF does not allow",
        "glTF holds pictures as PNG or JPEG only. This one has another format and could not be converted, so its material is written without it.",
        "Convert the picture to PNG and import the character again.";
    TEXTURE_CONVERTED: "glb.texture-converted", Note,
        "a picture converted to PNG",
        "glTF holds pictures as PNG or JPEG only. This one had another format and was written as PNG.",
        "Nothing needs to be done. A .sinew bundle keeps the picture as it is.";
    BVH_MESHES_LEFT_OUT: "bvh.meshes-left-out", Note,
        "meshes, which BVH has no place for",
        "BVH holds joints and their motion. Meshes, materials and pictures are left out.",
        "Write a .glb or .sinew file to keep them.";
    BVH_SOCKETS_LEFT_OUT: "bvh.sockets-left-out", Note,
        "sockets, which BVH has no place for",
        "BVH holds joints and their motion. Named places on joints are left out.",
        "Write a .glb or .sinew file to keep them.";
    BVH_VRM_LEFT_OUT: "bvh.vrm-left-out", Note,
        "roles and expressions of a VRM, which BVH has no place for",
        "The character was read from a VRM, which says which joint has which role, what its expressions are, from where it looks and whose it is. BVH holds joints and their motion alone.",
        "Write a .sinew bundle, which keeps it, or keep the .vrm file beside.";
    BVH_SCALE_LEFT_OUT: "bvh.scale-left-out", Warning,
        "a clip that scales joints, which BVH does not know",
        "Joints are where they were, since those whose distance from their parents changes have channels of position; that they grow or shrink is not written.",
        "Write a .glb or .sinew file to keep it.";
    BVH_CURVES_LEFT_OUT: "bvh.curves-left-out", Note,
        "curves that move no joint",
        "A clip may move morph weights and named numbers. BVH holds joints alone.",
        "Write a .sinew file, which keeps such curves.";
    BVH_EVENTS_LEFT_OUT: "bvh.events-left-out", Note,
        "events and markers, which BVH has no place for",
        "BVH holds frames alone.",
        "Write a .sinew file, which keeps them.";
    BVH_RESAMPLED: "bvh.resampled", Note,
        "a clip whose keys do not lie on frames",
        "BVH has frames at even steps of time. The clip has keys between any such steps, or values that jump, so what it does between frames is lost.",
        "Nothing needs to be done for motion that is not abrupt.";
    BVH_SEVERAL_ROOTS: "bvh.several-roots", Note,
        "a skeleton with several roots",
        "Each is written as a `ROOT` of its own. Some programs read the first alone.",
        "Add a joint above them if another program is to read the file.";
    VRMA_JOINTS_LEFT_OUT: "vrma.joints-left-out", Note,
        "joints that move and have no role",
        "VRM Animation holds the joints that every humanoid has, by role, and of these the place of the hips alone. Others are left out; what they do to joints below them is not lost.",
        "Write a .glb or .sinew file to keep them.";
    VRMA_STRETCH_LEFT_OUT: "vrma.stretch-left-out", Warning,
        "joints with a role that move away from their parents or are scaled",
        "VRM Animation holds rotations, and the place of the hips alone, since the lengths of limbs are those of the model that plays it.",
        "Write a .glb or .sinew file to keep it.";
    VRMA_MESHES_LEFT_OUT: "vrma.meshes-left-out", Note,
        "meshes, which VRM Animation has no place for",
        "VRM Animation holds the motion of a humanoid, for any model. Meshes, materials and pictures are left out.",
        "Write a .glb or .sinew file to keep them.";
    VRMA_SOCKETS_LEFT_OUT: "vrma.sockets-left-out", Note,
        "sockets, which VRM Animation has no place for",
        "VRM Animation holds the motion of a humanoid, for any model. Named places on joints are left out.",
        "Write a .glb or .sinew file to keep them.";
    VRMA_EVENTS_LEFT_OUT: "vrma.events-left-out", Note,
        "events and markers, which VRM Animation has no place for",
        "VRM Animation holds rotations, the place of the hips and expressions.",
        "Write a .sinew file, which keeps them.";
    VRMA_VRM_LEFT_OUT: "vrma.vrm-left-out", Note,
        "what a VRM says of its model, which VRM Animation has no place for",
        "The character was read from a VRM, which says from where it looks, whose it is, and of which morph targets its expressions are made. VRM Animation holds motion, for any model.",
        "Write a .sinew bundle, which keeps it, or keep the .vrm file beside.";
    VRMA_CURVES_LEFT_OUT: "vrma.curves-left-out", Note,
        "curves that are no expression",
        "VRM Animation holds expressions, not morph weights, which differ from model to model.",
        "Write a .glb or .sinew file to keep them.";
    VRMA_RESAMPLED: "vrma.resampled", Note,
        "a clip whose keys do not lie on even steps",
        "Clips are written with keys at even steps of time. The clip has keys between any such steps, or values that jump, so what it does between keys may differ.",
        "Nothing needs to be done for motion that is not abrupt.";
    VRMA_REST: "vrma.rest", Warning, from 15.0, in "degrees",
        "a character that does not rest in a T-pose",
        "Players of VRM Animation take the rest of the file for a T-pose, with arms along the x axis. The arms of this one point elsewhere at rest, and will be off by that much.",
        "Retarget the clips to a character that rests in a T-pose first.";
    DUAL_QUATERNION_DROPPED: "glb.dual-quaternion", Warning,
        "dual-quaternion skinning, which glTF does not have",
        "Vertices of the mesh are blended by dual quaternions. Programs that read glTF blend linearly, so joints that twist far look thinner there.",
        "Use a .sinew bundle, which keeps it, or add twist joints.";
    CURVE_DROPPED: "glb.curve-dropped", Note,
        "a curve that glTF has no place for",
        "A pose may carry named numbers beside joints and morph weights. glTF animates nothing of the kind, so such curves are left out.",
        "Nothing is lost from the picture. A .sinew bundle keeps such curves.";
    VRM_LEFT_OUT: "glb.vrm-left-out", Note,
        "roles and expressions of a VRM, which plain glTF has no place for",
        "The character was read from a VRM, which says which joint has which role, what its expressions are, from where it looks and whose it is. A .glb file holds the model and its clips alone.",
        "Write a .sinew bundle, which keeps it, or keep the .vrm file beside.";
    CLIP_DROPPED: "glb.clip-dropped", Note,
        "a clip that moves nothing of a character without joints",
        "An animation in glTF has at least one channel, and a channel needs a node. There is none here.",
        "Nothing is lost from the picture. A .sinew bundle keeps such clips.";
    CLIP_KEPT: "compress.clip-kept", Warning, in "mm",
        "a clip that no frames keep within its profile",
        "Compiled clips are frames at even steps of time. This one moves so abruptly that no rate keeps it within the limits of the profile, so its keys were kept: it plays exactly, and is larger.",
        "Choose a profile that allows more, or smooth the clip.";
    CONTACTS_UNKNOWN_CLIP: "contacts.unknown-clip", Warning,
        "foot contacts of a clip that is not there",
        "The file of foot contacts has a clip of a name that no clip of the build has. Its markers and events were left out.",
        "Correct the name in the file, or run `sinew contacts` again.";
    MONOGAME_MORPHS: "monogame.morphs", Warning,
        "morph targets, which XNB models do not have",
        "The framework's models are skinned by bones alone. Faces that move by morph targets stay at their rest shape.",
        "Use joints for the face, or a .sinew bundle, which keeps morph targets.";
    MONOGAME_INFLUENCES: "monogame.influences", Warning, in "%",
        "more than four influences on a vertex, of which SkinnedEffect takes four",
        "SkinnedEffect blends four bones at most. The strongest four were kept and scaled to sum to one.",
        "Import with `influences = 4` to see the same everywhere, or paint fewer influences.";
    MONOGAME_DUAL_QUATERNION: "monogame.dual-quaternion", Warning,
        "dual-quaternion skinning, which SkinnedEffect does not have",
        "Vertices of the mesh are blended by dual quaternions. SkinnedEffect blends linearly, so joints that twist far look thinner there.",
        "Use a .sinew bundle, which keeps it, or add twist joints.";
    MONOGAME_TEXTURE_DROPPED: "monogame.texture-dropped", Warning,
        "normal maps and other textures that the framework's effects do not have",
        "SkinnedEffect and BasicEffect take one texture, the colour. Normal maps, roughness, occlusion and emission textures are left out.",
        "Draw the model with an effect of your own if you need them.";
    MONOGAME_TEXTURE_UNREADABLE: "monogame.texture-unreadable", Warning,
        "a picture that cannot be written as a texture",
        "The picture of a material was not found or cannot be decoded. The material is drawn with a white texture.",
        "Put the picture beside the model, as PNG or JPEG, and build again.";
    MONOGAME_TEXTURE_SIZE: "monogame.texture-size", Warning,
        "a texture that is larger than the profile allows",
        "Reach allows textures of 2,048 texels a side, HiDef of 4,096. Larger ones fail to load on some devices.",
        "Make the picture smaller.";
    MONOGAME_REACH_WRAP: "monogame.reach-wrap", Warning,
        "a repeated texture whose sides are no powers of two, in the profile Reach",
        "Reach does not repeat such textures and has no mip maps for them. Where texture coordinates leave 0…1, drawing fails or shows the edge.",
        "Make the sides powers of two, such as 512 or 1,024, or use `profile = \"hidef\"`.";
    MONOGAME_SAMPLER: "monogame.sampler", Note,
        "wrapping or filtering that is not the framework's default",
        "XNB models say nothing of samplers; the graphics device has one for all models, which repeats and smooths unless the game sets another.",
        "Set `GraphicsDevice.SamplerStates[0]` before the model is drawn, as in SamplerState.LinearClamp.";
    MONOGAME_ALPHA_TEST: "monogame.alpha-test", Note,
        "an alpha-tested material, and AlphaTestEffect does not skin",
        "The material is cut out where its alpha is low. SkinnedEffect blends it instead, which needs an order of drawing.",
        "Draw it last with BlendState.AlphaBlend, or with an effect of your own that discards pixels.";
    MONOGAME_TWO_SIDED: "monogame.two-sided", Note,
        "a material that is seen from both sides",
        "XNB models do not say so; the graphics device hides triangles that are seen from behind.",
        "Draw it with RasterizerState.CullNone.";
    MONOGAME_VERTEX_COLORS: "monogame.vertex-colors", Note,
        "colours of vertices, which SkinnedEffect does not have",
        "SkinnedEffect takes its colour from the material and the texture. Colours of the vertices of skinned meshes are left out.",
        "Paint them into the texture.";
    MONOGAME_CURVES: "monogame.curve-dropped", Note,
        "curves that move no joint",
        "A clip may move morph weights and named numbers. Skinning data holds joints alone.",
        "A .sinew bundle keeps such curves.";
    MONOGAME_VRM_LEFT_OUT: "monogame.vrm-left-out", Note,
        "roles and expressions of a VRM, which XNB models have no place for",
        "The character was read from a VRM, which says which joint has which role, what its expressions are, from where it looks and whose it is. XNB files hold the model and its clips alone.",
        "Write a .sinew bundle, which keeps it, or keep the .vrm file beside.";
    MONOGAME_TURN: "monogame.turn-kept", Warning, in "°",
        "a clip that turns the root, which skinning data does not take out",
        "Root motion is written as a way without a turn. The pose turns as the clip was made, and a loop snaps back by the angle given.",
        "Turn the character in the game and use a clip without the turn, or a .sinew bundle, whose root motion turns.";
    MONOGAME_GROUND: "monogame.ground-velocity", Warning, in "units/s",
        "a clip made in place, whose speed over the ground skinning data does not say",
        "The clip does not travel, so its root motion is zero in the game. How fast its feet step is kept in .sinew bundles alone.",
        "Move the character in the game at the speed given, or use a clip that travels.";
    MONOGAME_SOCKET: "monogame.socket-dropped", Warning,
        "a socket on a joint that was left out",
        "The skeleton has more bones than SkinnedEffect takes, and the joint was left out.",
        "Use `over-72 = \"split\"`, which keeps all joints.";
    MONOGAME_V1: "monogame.v1-lost", Note,
        "what the first version of skinning data has no place for",
        "Version 1 holds matrices and key times alone: no names of bones, no loop modes, tags, events, markers, sockets or root motion. Travel that is to be taken out is taken out of the keys, and the game is not told how far the character went.",
        "Use `version = \"v2\"` and the reader in contrib/monogame.";
    MONOGAME_JOINTS_PRUNED: "monogame.joints-pruned", Note,
        "joints that were left out, since SkinnedEffect takes 72 bones",
        "The skeleton has more bones than SkinnedEffect takes. Joints at the ends that move no vertices were left out.",
        "Nothing is lost from the picture. Use `over-72 = \"split\"` to keep them.";
    MONOGAME_WEIGHTS_MOVED: "monogame.weights-moved", Warning,
        "joints that were left out although they move vertices, since SkinnedEffect takes 72 bones",
        "The skeleton has more bones than SkinnedEffect takes. The joints at the ends that move least were left out, and their vertices move with the parents.",
        "Use `over-72 = \"split\"`, which keeps all of them.";
    MONOGAME_SPLIT: "monogame.split", Note,
        "a mesh that was split, since SkinnedEffect takes 72 bones",
        "The skeleton has more bones than SkinnedEffect takes. Parts of the mesh are drawn with bones of their own; the reader in contrib/monogame does that by itself.",
        "Nothing needs to be done if the game draws with contrib/monogame.";
}
