//! One function per section, the counterparts of the readers in `sinew` and `sinew_import::bundle`.

use super::WriteError;
use super::section::{SectionWriter, count};
use bytemuck::Zeroable;
use sinew::bundle_file::*;
use sinew::{
    AlphaMode, Character, Clip, ClipInfo, ClipLibrary, Image, LoopMode, Material, Mesh, Skeleton, Skin,
    Texture, TextureRef,
};
use sinew_compress::{Profile, keys_body};
use sinew_import::bundle::layout::*;
use sinew_import::bundle::{Certificate, Measure, Origin};
use sinew_import::{SourceClip, SourceInfo, SourceJoint};

pub(super) fn info(character: &Character) -> Result<SectionWriter, WriteError> {
    let mut section = SectionWriter::new(INFO, 0)?;
    let space = character.space();
    section.record(&InfoHeader {
        meshes: count("meshes", character.meshes().len())?,
        materials: count("materials", character.materials().len())?,
        textures: count("textures", character.textures().len())?,
        clips: count("clips", character.clips().len())?,
        canonical: space.canonical.into(),
        up: AXES.iter().position(|&axis| axis == space.up).map_or(0, |i| i as u32),
        unit_meters: space.unit_meters,
        reserved: 0,
    });
    section.name(character.name())?;
    Ok(section)
}

pub(super) fn skeleton(skeleton: &Skeleton) -> Result<SectionWriter, WriteError> {
    let mut section = SectionWriter::new(SKEL, 0)?;
    section.record(&SkeletonHeader {
        joints: count("joints", skeleton.len())?,
        scalars: count("scalars", skeleton.scalar_names().len())?,
        reserved: [0; 2],
    });
    section.array(skeleton.parents());
    section.array(skeleton.rest().blocks());
    section.array(skeleton.rest().scalars());
    section.names(skeleton.names().iter())?;
    section.names(skeleton.scalar_names().iter())?;
    Ok(section)
}

pub(super) fn mesh(index: usize, mesh: &Mesh) -> Result<SectionWriter, WriteError> {
    let mut section = SectionWriter::new(MESH, index)?;
    let bit = |present: bool, bit: u32| if present { bit } else { 0 };
    section.record(&MeshHeader {
        vertices: count("vertices", mesh.positions.len())?,
        indices: count("indices", mesh.indices.len())?,
        parts: count("parts", mesh.parts.len())?,
        attributes: bit(!mesh.normals.is_empty(), HAS_NORMALS)
            | bit(!mesh.tangents.is_empty(), HAS_TANGENTS)
            | bit(!mesh.uvs.is_empty(), HAS_UVS)
            | bit(!mesh.second_uvs.is_empty(), HAS_SECOND_UVS)
            | bit(!mesh.colors.is_empty(), HAS_COLORS),
        joint: mesh.joint,
        reserved: [0; 7],
    });
    section.array(&mesh.positions);
    section.array_if_any(&mesh.normals);
    section.array_if_any(&mesh.tangents);
    section.array_if_any(&mesh.uvs);
    section.array_if_any(&mesh.second_uvs);
    section.array_if_any(&mesh.colors);
    section.array(&mesh.indices);
    let parts = mesh.parts.iter().map(|part| {
        let material = part.material.map_or(Ok(NONE), |m| count("materials", m))?;
        Ok(PartRecord { material, first: part.first, count: part.count })
    });
    section.array(&parts.collect::<Result<Vec<_>, WriteError>>()?);
    section.name(&mesh.name)?;
    Ok(section)
}

pub(super) fn skin(index: usize, mesh: &Mesh, skin: &Skin) -> Result<SectionWriter, WriteError> {
    let mut section = SectionWriter::new(SKIN, index)?;
    section.record(&SkinHeader {
        joints: count("joints of a skin", skin.joints.len())?,
        per_vertex: count("influences", mesh.influences.per_vertex)?,
        vertices: count("vertices", mesh.positions.len())?,
        dual_quaternion: count("vertices", mesh.influences.dual_quaternion.len())?,
    });
    section.array(&skin.joints);
    section.array(&skin.inverse_binds);
    section.array(&mesh.influences.skin_joints);
    section.array(&mesh.influences.weights);
    section.array_if_any(&mesh.influences.dual_quaternion);
    Ok(section)
}

pub(super) fn morphs(index: usize, mesh: &Mesh) -> Result<SectionWriter, WriteError> {
    let mut section = SectionWriter::new(MRPH, index)?;
    section.record(&MorphHeader {
        targets: count("morph targets", mesh.morphs.len())?,
        deltas: count("morph deltas", mesh.morphs.iter().map(|m| m.deltas.len()).sum())?,
        reserved: [0; 2],
    });
    let targets = mesh.morphs.iter().map(|morph| {
        Ok(TargetRecord { scalar: morph.scalar.into(), deltas: count("morph deltas", morph.deltas.len())? })
    });
    section.array(&targets.collect::<Result<Vec<_>, WriteError>>()?);
    section.gather(mesh.morphs.iter().map(|m| m.deltas.as_slice()));
    section.names(mesh.morphs.iter().map(|m| m.name.as_str()))?;
    Ok(section)
}

pub(super) fn materials(materials: &[Material]) -> Result<SectionWriter, WriteError> {
    let mut section = SectionWriter::new(MATS, 0)?;
    section.record(&MaterialsHeader { materials: count("materials", materials.len())?, reserved: [0; 3] });
    let records = materials.iter().map(material).collect::<Result<Vec<_>, WriteError>>()?;
    section.array(&records);
    section.names(materials.iter().map(|m| m.name.as_str()))?;
    Ok(section)
}

fn material(material: &Material) -> Result<MaterialRecord, WriteError> {
    let bit = |on: bool, bit: u8| if on { bit } else { 0 };
    let (alpha, cutoff) = match material.alpha {
        AlphaMode::Opaque => (0, 0.0),
        AlphaMode::Mask(cutoff) => (1, cutoff),
        AlphaMode::Blend => (2, 0.0),
    };
    let mut textures = [TextureRefRecord { texture: NONE, ..TextureRefRecord::zeroed() }; 5];
    for (record, texture) in textures.iter_mut().zip(material.textures()) {
        if let Some(texture) = texture {
            *record = texture_ref(texture)?;
        }
    }
    Ok(MaterialRecord {
        base_color: material.base_color.to_array(),
        emissive: material.emissive.to_array(),
        emissive_strength: material.emissive_strength,
        metallic: material.metallic,
        roughness: material.roughness,
        normal_scale: material.normal_scale,
        occlusion_strength: material.occlusion_strength,
        cutoff,
        transmission: material.transmission,
        alpha,
        flags: bit(material.two_sided, MATERIAL_TWO_SIDED) | bit(material.unlit, MATERIAL_UNLIT),
        reserved: [0; 2],
        textures,
    })
}

fn texture_ref(texture: &TextureRef) -> Result<TextureRefRecord, WriteError> {
    let TextureRef { transform, sampler, .. } = texture;
    Ok(TextureRefRecord {
        texture: count("textures", texture.texture)?,
        wrap: sampler.wrap.map(|wrap| number(&WRAPS, wrap)),
        mag: number(&MAG_FILTERS, sampler.mag),
        min: number(&MIN_FILTERS, sampler.min),
        uv_set: texture.uv_set.into(),
        transform: [
            transform.offset.x,
            transform.offset.y,
            transform.rotation,
            transform.scale.x,
            transform.scale.y,
        ],
    })
}

/// The number of a value in the file: its place in the list of all.
fn number<T: PartialEq>(all: &[T], value: T) -> u8 {
    all.iter().position(|other| *other == value).map_or(0, |index| index as u8)
}

/// The same counted from one, zero for none.
pub(super) fn from_one<T: PartialEq>(all: &[T], value: Option<T>) -> u16 {
    value.map_or(0, |value| u16::from(number(all, value)) + 1)
}

pub(super) fn texture(index: usize, texture: &Texture, image: &Image) -> Result<SectionWriter, WriteError> {
    let mut section = SectionWriter::new(TXTR, index)?;
    let (kind, bytes): (u32, &[u8]) = match image {
        Image::Missing => (IMAGE_MISSING, &[]),
        Image::File(path) => (IMAGE_FILE, path.as_os_str().as_encoded_bytes()),
        Image::Embedded(bytes) => (IMAGE_EMBEDDED, bytes),
    };
    section.record(&TextureHeader { image: kind, reserved: 0, length: bytes.len() as u64 });
    section.name(&texture.name)?;
    section.name(&texture.reference)?;
    section.array(bytes);
    Ok(section)
}

pub(super) fn clip(
    index: usize,
    name: &str,
    clip: &Clip,
    skeleton: &Skeleton,
) -> Result<SectionWriter, WriteError> {
    let mut section = SectionWriter::new(CLIP, index)?;
    if let Some(frames) = clip.frames() {
        section.record(&ClipHeader {
            encoding: ENCODING_FRAMES,
            duration: clip.duration(),
            joints: count("tracks", frames.kept().joints().len())?,
            scalars: count("tracks", frames.kept().scalars().len())?,
        });
        section.name(name)?;
        section.array(frames.body());
        return Ok(section);
    }
    let tracks = clip.to_keys(skeleton);
    section.record(&ClipHeader {
        encoding: ENCODING_RAW,
        duration: clip.duration(),
        joints: count("tracks", tracks.joints().len())?,
        scalars: count("tracks", tracks.scalars().len())?,
    });
    section.name(name)?;
    section.array(&keys_body(&tracks));
    Ok(section)
}

/// `None` if all clips have the defaults.
pub(super) fn tags(clips: &ClipLibrary) -> Result<Option<SectionWriter>, WriteError> {
    if clips.infos().all(|info| *info == ClipInfo::from(info.name.as_str())) {
        return Ok(None);
    }
    let mut section = SectionWriter::new(TAGS, 0)?;
    section.record(&TagsHeader { clips: count("clips", clips.len())?, reserved: [0; 3] });
    section.array(&clips.infos().map(tag_record).collect::<Vec<_>>());
    let infos: Vec<_> = clips.infos().collect();
    section.names(infos.iter().map(|info| info.source_name.as_deref().unwrap_or("")))?;
    section.names(infos.iter().map(|info| info.tag.as_deref().unwrap_or("")))?;
    Ok(Some(section))
}

fn tag_record(info: &ClipInfo) -> TagRecord {
    let bit = |on: bool, bit: u32| if on { bit } else { 0 };
    let (mode, times) = match info.mode {
        None => (MODE_UNSAID, 0),
        Some(LoopMode::Once) => (MODE_ONCE, 0),
        Some(LoopMode::Loop) => (MODE_LOOP, 0),
        Some(LoopMode::PingPong) => (MODE_PING_PONG, 0),
        Some(LoopMode::Times(times)) => (MODE_TIMES, times),
    };
    TagRecord {
        flags: bit(info.source_name.is_some(), CLIP_HAS_SOURCE_NAME)
            | bit(info.tag.is_some(), CLIP_HAS_TAG)
            | bit(info.source_index.is_some(), CLIP_HAS_SOURCE_INDEX),
        source_index: info.source_index.unwrap_or(0),
        mode,
        root_motion: from_one(&ROOT_MOTIONS, info.root_motion),
        times,
    }
}

pub(super) fn source(source: &SourceInfo) -> Result<SectionWriter, WriteError> {
    let mut section = SectionWriter::new(SRCS, 0)?;
    section.record(&SourceHeader {
        joints: count("joints", source.joints.len())?,
        meshes: count("meshes", source.vertices.len())?,
        clips: count("clips", source.clips.len())?,
        reordered: (!source.order.is_empty()).into(),
    });
    let helper = |joint: &SourceJoint| if joint.helper { JOINT_HELPER } else { 0 };
    section.array(&source.joints.iter().map(|joint| joint.node).collect::<Vec<_>>());
    section.array(&source.joints.iter().map(helper).collect::<Vec<u8>>());
    section.array(&source.order);
    let counts = source.vertices.iter().map(|vertices| count("vertices", vertices.len()));
    section.array(&counts.collect::<Result<Vec<u32>, _>>()?);
    section.gather(source.vertices.iter().map(Vec::as_slice));
    let inferred = |clip: &SourceClip| if clip.tag_inferred { TAG_INFERRED } else { 0 };
    section.array(&source.clips.iter().map(|clip| clip.start).collect::<Vec<_>>());
    section.array(&source.clips.iter().map(inferred).collect::<Vec<u8>>());
    Ok(section)
}

/// The number that each vertex had, for a mesh whose vertices are in another order now.
pub(super) fn vertex_order(index: usize, order: &[u32]) -> Result<SectionWriter, WriteError> {
    let mut section = SectionWriter::new(VORD, index)?;
    section.record(&VertexOrderHeader { vertices: count("vertices", order.len())?, reserved: [0; 3] });
    section.array(order);
    Ok(section)
}

pub(super) fn certificate(certificate: &Certificate) -> Result<SectionWriter, WriteError> {
    let mut section = SectionWriter::new(CERT, 0)?;
    section.record(&CertificateHeader {
        diagonal: certificate.diagonal,
        reach: certificate.reach,
        inputs: count("inputs", certificate.inputs.len())?,
        clips: count("clips", certificate.clips.len())?,
        profile: certificate.profile.map_or(0, Profile::number),
        reserved: 0,
    });
    section.array(&certificate.inputs.iter().map(|i| i.sha256).collect::<Vec<_>>());
    section.record(&measure(&certificate.whole));
    section.array(&certificate.clips.iter().map(measure).collect::<Vec<_>>());
    let origin = |origin: &Option<Origin>| match origin {
        Some(origin) => OriginRecord { input: origin.input, clip: origin.clip },
        None => OriginRecord { input: NONE, clip: NONE },
    };
    section.array(&certificate.origins.iter().map(origin).collect::<Vec<_>>());
    section.name(&certificate.tool)?;
    section.names(certificate.inputs.iter().map(|i| i.name.as_str()))?;
    Ok(section)
}

fn measure(measure: &Measure) -> MeasureRecord {
    MeasureRecord {
        joint_max: measure.joint_max,
        joint_p99: measure.joint_p99,
        vertex_max: measure.vertex_max,
        worst_time: measure.worst_time,
        samples: measure.samples,
        worst_joint: measure.worst_joint,
        reserved: [0; 5],
    }
}
