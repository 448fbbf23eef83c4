//! A humanoid as VRM 0.x and 1.0, and a dance for any VRM as VRMA: small files with all that the importer has to know about.

use crate::math;
use glam::{DMat4, DQuat, DVec3};

/// Which kind of VRM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// VRM 0.x: faces −Z, no rotations at rest.
    V0,
    /// VRM 1.0: faces +Z, joints turned at rest.
    V1,
}

/// Role, parent's place in the table, and where it is at rest, of a figure that faces +Z.
const BODY: [(&str, Option<usize>, [f64; 3]); 20] = [
    ("hips", None, [0.0, 0.95, 0.0]),
    ("spine", Some(0), [0.0, 1.06, -0.01]),
    ("chest", Some(1), [0.0, 1.2, -0.01]),
    ("neck", Some(2), [0.0, 1.45, -0.02]),
    ("head", Some(3), [0.0, 1.54, 0.0]),
    ("leftShoulder", Some(2), [0.03, 1.4, -0.02]),
    ("leftUpperArm", Some(5), [0.16, 1.4, -0.02]),
    ("leftLowerArm", Some(6), [0.43, 1.4, -0.02]),
    ("leftHand", Some(7), [0.68, 1.4, -0.02]),
    ("leftThumbMetacarpal", Some(8), [0.71, 1.39, 0.02]),
    ("rightShoulder", Some(2), [-0.03, 1.4, -0.02]),
    ("rightUpperArm", Some(10), [-0.16, 1.4, -0.02]),
    ("rightLowerArm", Some(11), [-0.43, 1.4, -0.02]),
    ("rightHand", Some(12), [-0.68, 1.4, -0.02]),
    ("leftUpperLeg", Some(0), [0.09, 0.89, 0.0]),
    ("leftLowerLeg", Some(14), [0.09, 0.47, 0.01]),
    ("leftFoot", Some(15), [0.09, 0.07, -0.01]),
    ("rightUpperLeg", Some(0), [-0.09, 0.89, 0.0]),
    ("rightLowerLeg", Some(17), [-0.09, 0.47, 0.01]),
    ("rightFoot", Some(18), [-0.09, 0.07, -0.01]),
];

/// Seconds of the dance.
pub const SECONDS: f64 = 2.0;

/// Keys of the dance.
const KEYS: usize = 41;

/// Roles in the order of the joints.
pub fn roles() -> impl Iterator<Item = &'static str> {
    BODY.iter().map(|(role, _, _)| *role)
}

/// Where the joints are at rest, facing +Z.
pub fn places() -> Vec<DVec3> {
    BODY.iter().map(|(_, _, place)| DVec3::from(*place)).collect()
}

/// Model rotation of each joint at rest.
fn rests(turned: bool) -> Vec<DQuat> {
    let turn = |index: usize| {
        let axis = DVec3::new(1.0, index as f64 * 0.3 - 2.0, 0.7).normalize();
        quaternion(axis, 0.4 + 0.1 * index as f64)
    };
    (0..BODY.len()).map(|index| if turned { turn(index) } else { DQuat::IDENTITY }).collect()
}

fn quaternion(axis: DVec3, angle: f64) -> DQuat {
    let v = axis * math::sin(angle / 2.0);
    DQuat::from_xyzw(v.x, v.y, v.z, math::cos(angle / 2.0))
}

/// How far a joint is turned from its rest in the dance, seen from the parent's turn.
fn turn(joint: usize, time: f64) -> DQuat {
    let phase = joint as f64 * 0.9;
    let axis = DVec3::new(math::sin(phase), math::cos(phase), 0.5).normalize();
    quaternion(axis, 0.6 * math::sin(time * 3.0 + phase))
}

/// Where the hips are in the dance.
fn hips(time: f64) -> DVec3 {
    DVec3::from(BODY[0].2)
        + DVec3::new(0.1 * math::sin(time), 0.05 * math::cos(2.0 * time) - 0.05, 0.2 * time)
}

/// How much of the expression `happy` is shown.
pub fn happiness(time: f64) -> f64 {
    time / SECONDS
}

/// Model matrices of the dance for a figure without rotations at rest, at a time of a key: what every VRM is to show.
pub fn dance(time: f64) -> Vec<DMat4> {
    let mut models: Vec<DMat4> = Vec::new();
    for (joint, (_, parent, place)) in BODY.iter().enumerate() {
        let (above, from) =
            parent.map_or((DMat4::IDENTITY, DVec3::ZERO), |p| (models[p], DVec3::from(BODY[p].2)));
        let offset = if joint == 0 { hips(time) } else { DVec3::from(*place) - from };
        models.push(above * DMat4::from_rotation_translation(turn(joint, time), offset));
    }
    models
}

/// Times of the keys of the dance.
pub fn times() -> Vec<f64> {
    (0..KEYS).map(|key| f64::from((SECONDS * key as f64 / (KEYS - 1) as f64) as f32)).collect()
}

/// A model with a skinned mesh, two morph targets, expressions, spring bones and a material of MToon.
pub fn model(version: Version) -> Vec<u8> {
    let turned = version == Version::V1;
    let mut file = File::default();
    let facing = |v: DVec3| if turned { v } else { DVec3::new(-v.x, v.y, -v.z) };
    let (rests, places): (_, Vec<DVec3>) = (rests(turned), places().into_iter().map(facing).collect());
    let joints = file.joints(&places, &rests);
    let mut positions = Vec::new();
    let (mut slots, mut weights, mut binds) = (Vec::new(), Vec::new(), Vec::new());
    for (joint, place) in places.iter().enumerate() {
        for corner in [DVec3::ZERO, DVec3::X * 0.05, DVec3::Y * 0.05] {
            positions.extend((*place + corner).to_array().map(|n| n as f32));
            slots.extend([joint as u8, 0, 0, 0]);
            weights.extend([1.0f32, 0.0, 0.0, 0.0]);
        }
        let bind = DMat4::from_rotation_translation(rests[joint], *place).inverse();
        binds.extend(bind.to_cols_array().map(|n| n as f32));
    }
    let count = positions.len() / 3;
    let moved = |x: f32, y: f32| [x, y, 0.0f32].repeat(count);
    let position = file.floats(&positions, 3, "VEC3");
    let joint_slots = file.bytes(&slots, 4);
    let weight = file.floats(&weights, 4, "VEC4");
    let bind = file.floats(&binds, 16, "MAT4");
    let targets = [file.floats(&moved(0.01, 0.0), 3, "VEC3"), file.floats(&moved(0.0, 0.02), 3, "VEC3")];
    let mesh_node = BODY.len();
    let nodes = format!("{joints},{{\"name\":\"Body\",\"mesh\":0,\"skin\":0}}");
    let mesh = format!(
        "\"meshes\":[{{\"name\":\"Body\",\"primitives\":[{{\"attributes\":{{\"POSITION\":{position},\"JOINTS_0\":{joint_slots},\"WEIGHTS_0\":{weight}}},\"material\":0,\"targets\":[{{\"POSITION\":{}}},{{\"POSITION\":{}}}]}}],\"extras\":{{\"targetNames\":[\"Smile\",\"Wink\"]}}}}],\
         \"skins\":[{{\"joints\":[{}],\"inverseBindMatrices\":{bind}}}],",
        targets[0],
        targets[1],
        (0..BODY.len()).map(|j| j.to_string()).collect::<Vec<_>>().join(",")
    );
    let head = match version {
        Version::V0 => head_0(),
        Version::V1 => head_1(mesh_node),
    };
    file.finish(&format!("{head}{mesh}\"scenes\":[{{\"nodes\":[0,{mesh_node}]}}],\"nodes\":[{nodes}],"))
}

fn head_0() -> String {
    let bones: Vec<String> = roles()
        .enumerate()
        .map(|(node, role)| {
            let role = role.replace("ThumbMetacarpal", "ThumbProximal");
            format!("{{\"bone\":\"{role}\",\"node\":{node},\"useDefaultValues\":true}}")
        })
        .collect();
    format!(
        "\"extensionsUsed\":[\"VRM\"],\"materials\":[{{\"name\":\"Skin\",\"pbrMetallicRoughness\":{{\"baseColorFactor\":[1,0.8,0.7,1]}}}}],\
         \"extensions\":{{\"VRM\":{{\"specVersion\":\"0.0\",\"exporterVersion\":\"testkit\",\
         \"meta\":{{\"title\":\"Dummy\",\"version\":\"1\",\"author\":\"testkit\",\"allowedUserName\":\"Everyone\",\"licenseName\":\"CC0\"}},\
         \"humanoid\":{{\"humanBones\":[{}]}},\
         \"firstPerson\":{{\"firstPersonBone\":4,\"firstPersonBoneOffset\":{{\"x\":0,\"y\":0.06,\"z\":0}},\"meshAnnotations\":[],\"lookAtTypeName\":\"Bone\"}},\
         \"blendShapeMaster\":{{\"blendShapeGroups\":[\
         {{\"name\":\"Joy\",\"presetName\":\"joy\",\"binds\":[{{\"mesh\":0,\"index\":0,\"weight\":100}}],\"materialValues\":[],\"isBinary\":false}},\
         {{\"name\":\"Sly\",\"presetName\":\"unknown\",\"binds\":[{{\"mesh\":0,\"index\":1,\"weight\":50}}],\"materialValues\":[],\"isBinary\":false}}]}},\
         \"secondaryAnimation\":{{\"boneGroups\":[{{\"stiffiness\":1,\"gravityPower\":0,\"gravityDir\":{{\"x\":0,\"y\":-1,\"z\":0}},\"dragForce\":0.4,\"center\":-1,\"hitRadius\":0.02,\"bones\":[],\"colliderGroups\":[]}}],\"colliderGroups\":[]}},\
         \"materialProperties\":[{{\"name\":\"Skin\",\"shader\":\"VRM/MToon\",\"renderQueue\":2450,\"floatProperties\":{{\"_Cutoff\":0.4,\"_BlendMode\":1,\"_CullMode\":0}},\"vectorProperties\":{{}},\"textureProperties\":{{}},\"keywordMap\":{{}},\"tagMap\":{{}}}}]}}}},",
        bones.join(",")
    )
}

fn head_1(mesh_node: usize) -> String {
    format!(
        "\"extensionsUsed\":[\"VRMC_vrm\",\"VRMC_springBone\",\"VRMC_materials_mtoon\"],\
         \"materials\":[{{\"name\":\"Skin\",\"alphaMode\":\"MASK\",\"doubleSided\":true,\"pbrMetallicRoughness\":{{\"baseColorFactor\":[1,0.8,0.7,1]}},\"extensions\":{{\"VRMC_materials_mtoon\":{{\"specVersion\":\"1.0\"}}}}}}],\
         \"extensions\":{{\"VRMC_springBone\":{{\"specVersion\":\"1.0\",\"springs\":[{{\"name\":\"Hair\",\"joints\":[{{\"node\":3}},{{\"node\":4}}]}}]}},\
         \"VRMC_vrm\":{{\"specVersion\":\"1.0\",\
         \"meta\":{{\"name\":\"Dummy\",\"authors\":[\"testkit\"],\"licenseUrl\":\"https://vrm.dev/licenses/1.0/\"}},\
         \"humanoid\":{{\"humanBones\":{{{}}}}},\
         \"firstPerson\":{{\"meshAnnotations\":[{{\"node\":{mesh_node},\"type\":\"both\"}}]}},\
         \"lookAt\":{{\"offsetFromHeadBone\":[0,0.06,0],\"type\":\"bone\",\"rangeMapHorizontalInner\":{{\"inputMaxValue\":90,\"outputScale\":10}},\"rangeMapHorizontalOuter\":{{\"inputMaxValue\":90,\"outputScale\":10}},\"rangeMapVerticalDown\":{{\"inputMaxValue\":90,\"outputScale\":10}},\"rangeMapVerticalUp\":{{\"inputMaxValue\":90,\"outputScale\":10}}}},\
         \"expressions\":{{\"preset\":{{\"happy\":{{\"morphTargetBinds\":[{{\"node\":{mesh_node},\"index\":0,\"weight\":1}}]}}}},\"custom\":{{\"Sly\":{{\"morphTargetBinds\":[{{\"node\":{mesh_node},\"index\":1,\"weight\":0.5}}]}}}}}}}}}},",
        bones(BODY.len())
    )
}

fn bones(count: usize) -> String {
    let bones = roles().take(count).enumerate().map(|(node, role)| format!("\"{role}\":{{\"node\":{node}}}"));
    bones.collect::<Vec<_>>().join(",")
}

/// The dance: joints turned at rest, a key every twentieth of a second, and the expression `happy` on a node of its own.
pub fn animation() -> Vec<u8> {
    let mut file = File::default();
    let (rests, places) = (rests(true), places());
    let joints = file.joints(&places, &rests);
    let face = BODY.len();
    let numbers: Vec<f32> = times().iter().map(|time| *time as f32).collect();
    let input = file.floats(&numbers, 1, "SCALAR");
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut channel = |output: usize, node: usize, path: &str| {
        channels.push(format!(
            "{{\"sampler\":{},\"target\":{{\"node\":{node},\"path\":\"{path}\"}}}}",
            samplers.len()
        ));
        samplers.push(format!("{{\"input\":{input},\"output\":{output},\"interpolation\":\"LINEAR\"}}"));
    };
    for (joint, (_, parent, _)) in BODY.iter().enumerate() {
        let above = parent.map_or(DQuat::IDENTITY, |parent| rests[parent]);
        // A turn from the rest in model space, in the frame of the parent's joint.
        let local = |time: f64| above.inverse() * turn(joint, time) * rests[joint];
        let values: Vec<f32> =
            times().iter().flat_map(|&time| local(time).normalize().to_array()).map(|n| n as f32).collect();
        channel(file.floats(&values, 4, "VEC4"), joint, "rotation");
    }
    let walk: Vec<f32> = times().iter().flat_map(|&time| hips(time).to_array()).map(|n| n as f32).collect();
    channel(file.floats(&walk, 3, "VEC3"), 0, "translation");
    let happy: Vec<f32> = times().iter().flat_map(|&time| [happiness(time) as f32, 0.0, 0.0]).collect();
    channel(file.floats(&happy, 3, "VEC3"), face, "translation");
    let (samplers, channels) = (samplers.join(","), channels.join(","));
    let head = format!(
        "\"extensionsUsed\":[\"VRMC_vrm_animation\"],\"extensions\":{{\"VRMC_vrm_animation\":{{\"specVersion\":\"1.0\",\
         \"humanoid\":{{\"humanBones\":{{{}}}}},\"expressions\":{{\"preset\":{{\"happy\":{{\"node\":{face}}}}}}}}}}},\
         \"animations\":[{{\"name\":\"Dance\",\"channels\":[{channels}],\"samplers\":[{samplers}]}}],\
         \"scenes\":[{{\"nodes\":[0,{face}]}}],\"nodes\":[{joints},{{\"name\":\"happy\"}}],",
        bones(BODY.len())
    );
    file.finish(&head)
}

/// Buffers of a file that is being written.
#[derive(Default)]
struct File {
    binary: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
}

impl File {
    fn floats(&mut self, numbers: &[f32], width: usize, kind: &str) -> usize {
        let mut range = String::new();
        if width <= 3 {
            let fold = |start: f32, of: fn(f32, f32) -> f32| {
                let lane = |lane: usize| numbers.iter().skip(lane).step_by(width).copied().fold(start, of);
                (0..width).map(|l| format!("{}", lane(l))).collect::<Vec<_>>().join(",")
            };
            range = format!(
                ",\"min\":[{}],\"max\":[{}]",
                fold(f32::INFINITY, f32::min),
                fold(f32::NEG_INFINITY, f32::max)
            );
        }
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let count = numbers.len() / width;
        self.accessor(&bytes, &format!("\"componentType\":5126,\"type\":\"{kind}\",\"count\":{count}{range}"))
    }

    fn bytes(&mut self, numbers: &[u8], width: usize) -> usize {
        let count = numbers.len() / width;
        self.accessor(numbers, &format!("\"componentType\":5121,\"type\":\"VEC4\",\"count\":{count}"))
    }

    fn accessor(&mut self, bytes: &[u8], about: &str) -> usize {
        let start = self.binary.len();
        self.binary.extend(bytes);
        self.views.push(format!("{{\"buffer\":0,\"byteOffset\":{start},\"byteLength\":{}}}", bytes.len()));
        self.accessors.push(format!("{{\"bufferView\":{},{about}}}", self.accessors.len()));
        self.accessors.len() - 1
    }

    /// The nodes of the joints.
    fn joints(&mut self, places: &[DVec3], rests: &[DQuat]) -> String {
        let node = |(joint, (role, parent, _)): (usize, &(&str, Option<usize>, [f64; 3]))| {
            let (above, from) =
                parent.map_or((DQuat::IDENTITY, DVec3::ZERO), |p| (rests[p].inverse(), places[p]));
            let [x, y, z] = (above * (places[joint] - from)).to_array();
            let [a, b, c, d] = (above * rests[joint]).normalize().to_array();
            let children = (0..BODY.len()).filter(|&child| BODY[child].1 == Some(joint));
            let children: Vec<String> = children.map(|child| child.to_string()).collect();
            let children = if children.is_empty() {
                String::new()
            } else {
                format!(",\"children\":[{}]", children.join(","))
            };
            format!(
                "{{\"name\":\"J_{role}\",\"translation\":[{x},{y},{z}],\"rotation\":[{a},{b},{c},{d}]{children}}}"
            )
        };
        BODY.iter().enumerate().map(node).collect::<Vec<_>>().join(",")
    }

    /// A GLB with some JSON before the buffers.
    fn finish(mut self, head: &str) -> Vec<u8> {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let mut json = format!(
            "{{\"asset\":{{\"version\":\"2.0\"}},\"scene\":0,{head}\"accessors\":[{}],\"bufferViews\":[{}],\"buffers\":[{{\"byteLength\":{}}}]}}",
            self.accessors.join(","),
            self.views.join(","),
            self.binary.len()
        )
        .into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let length = 12 + 8 + json.len() + 8 + self.binary.len();
        let mut file = b"glTF".to_vec();
        file.extend([2, length as u32, json.len() as u32].map(u32::to_le_bytes).as_flattened());
        file.extend(b"JSON");
        file.extend(json);
        file.extend((self.binary.len() as u32).to_le_bytes());
        file.extend(b"BIN\0");
        file.extend(self.binary);
        file
    }
}
