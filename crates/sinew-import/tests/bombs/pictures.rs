//! Bombs of compressed geometry and of pictures.

use super::gltf::{document_of, list};
use super::{Bomb, Limit, Read};
use crate::doc::base64;
use sinew_testkit::draco::{Attribute, Coding, F32, POSITION, Stream};
use sinew_testkit::pictures::{Dds, Ktx2, dds, ktx2, ktx2_etc1s, ktx2_uastc, ktx2_uastc_zstd, uastc};

pub(super) const BOMBS: &[Bomb] = &[
    picture("picture PNG", |_| png(SIDE)),
    picture("picture JPEG", |_| {
        [b"\xff\xd8\xff\xc0\0\x0b\x08".to_vec(), (SIDE as u16).to_be_bytes().repeat(2), vec![0; 20]].concat()
    }),
    picture("picture BMP", |_| {
        let mut file = b"BM".to_vec();
        file.extend([0; 12]);
        file.extend([40, SIDE, SIDE, 0x18_0001, 0, 0, 0, 0, 0, 0].map(u32::to_le_bytes).as_flattened());
        file
    }),
    picture("picture TGA", |_| {
        let mut file = vec![0; 18];
        (file[2], file[16]) = (10, 32);
        file[12..16].copy_from_slice(&(SIDE as u16).to_le_bytes().repeat(2));
        file
    }),
    picture("picture WebP", |_| {
        let side = (SIDE - 1).to_le_bytes();
        [b"RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0".as_slice(), &side[..3], &side[..3]].concat()
    }),
    picture("picture DDS", |_| dds(SIDE, SIDE, Dds::FourCc(*b"DXT1"), &[0; 8])),
    picture("picture KTX2 ETC1S", |_| {
        let mut file = ktx2_etc1s();
        file[20..28].copy_from_slice(&SIDE.to_le_bytes().repeat(2));
        file
    }),
    picture("picture KTX2 UASTC", |_| ktx2_uastc(SIDE, SIDE, &[uastc([0; 4])])),
    picture("picture KTX2 Zstandard", |_| ktx2_uastc_zstd(SIDE, SIDE, &[uastc([0; 4])])),
    Bomb { name: "draco points", file: "a.gltf", make: draco, full: 1, expected: Limit("vertices") },
    Bomb { name: "meshopt count", file: "a.gltf", make: meshopt, full: 1, expected: Limit("memory") },
    // Looks never refuse a file: what does not fit is left out, and a finding names the limit.
    Bomb { name: "specular pictures large", file: "a.gltf", make: large, full: 1, expected: Read },
    Bomb { name: "specular pictures often", file: "a.gltf", make: often, full: 100, expected: Read },
];

/// Pixels of a side: a gibibyte when decoded.
const SIDE: u32 = 16_384;

const fn picture(name: &'static str, make: fn(usize) -> Vec<u8>) -> Bomb {
    Bomb { name, file: "a.png", make, full: 1, expected: Limit("texture_pixels") }
}

fn png(side: u32) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    file.extend(side.to_be_bytes().repeat(2));
    file
}

/// A document that shows a picture.
pub(super) fn showing(picture: &[u8]) -> Vec<u8> {
    document_of(&format!(
        r#""nodes":[{{}}],"materials":[{{"emissiveTexture":{{"index":0}}}}],"textures":[{{"source":0}}],"images":[{}]"#,
        image(picture)
    ))
}

fn image(picture: &[u8]) -> String {
    format!(r#"{{"uri":"data:;base64,{}"}}"#, base64(picture))
}

fn compressed(data: &[u8], buffers: &str, view: &str, primitive: &str) -> Vec<u8> {
    document_of(&format!(
        r#""nodes":[{{"mesh":0}}],"buffers":[{{"byteLength":{},"uri":"data:;base64,{}"}}{buffers}],"bufferViews":[{view}],
           "accessors":[{{"bufferView":0,"componentType":5126,"type":"VEC3","count":3}}],"meshes":[{{"primitives":[{primitive}]}}]"#,
        data.len(),
        base64(data)
    ))
}

fn draco(_: usize) -> Vec<u8> {
    let attribute =
        Attribute { kind: POSITION, data_type: F32, components: 3, unique_id: 0, coding: Coding::Zeros };
    let points = u64::from(u32::MAX);
    let data = Stream { metadata: None, points, indices: vec![0, 1, 2], attributes: vec![attribute] }.write();
    compressed(
        &data,
        "",
        &format!(r#"{{"buffer":0,"byteLength":{}}}"#, data.len()),
        r#"{"attributes":{"POSITION":0},"extensions":{"KHR_draco_mesh_compression":{"bufferView":0,"attributes":{"POSITION":0}}}}"#,
    )
}

fn meshopt(_: usize) -> Vec<u8> {
    let view = r#"{"buffer":1,"byteLength":12000000000,"extensions":{"EXT_meshopt_compression":
        {"buffer":0,"byteLength":64,"byteStride":12,"count":1000000000,"mode":"ATTRIBUTES"}}}"#;
    let fallback =
        r#",{"byteLength":12000000000,"extensions":{"EXT_meshopt_compression":{"fallback":true}}}"#;
    compressed(&[0xa0; 64], fallback, view, r#"{"attributes":{"POSITION":0}}"#)
}

/// Zeros as a picture that is compressed a few thousand times.
fn zeros(side: u32) -> Vec<u8> {
    const RUN: u32 = 0x1_ffff;
    let run = [&(RUN << 3 | 1 << 1).to_le_bytes()[..3], &[0]].concat();
    let runs = (side as usize * side as usize * 4).div_ceil(RUN as usize);
    let last = [&(RUN << 3 | 1 << 1 | 1).to_le_bytes()[..3], &[0]].concat();
    let level = [vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x50], run.repeat(runs), last].concat();
    ktx2(side, side, Ktx2 { format: 37, scheme: 2, ..Ktx2::default() }, &level)
}

/// Materials of specular and glossiness whose factors differ, with both textures.
fn specular(side: u32, materials: usize) -> Vec<u8> {
    let materials = list(materials, |i| {
        format!(
            r#"{{"extensions":{{"KHR_materials_pbrSpecularGlossiness":{{"glossinessFactor":{},
               "diffuseTexture":{{"index":0}},"specularGlossinessTexture":{{"index":1}}}}}}}}"#,
            1.0 / (i + 1) as f32
        )
    });
    let image = image(&zeros(side));
    document_of(&format!(
        r#""nodes":[{{}}],"materials":[{materials}],"textures":[{{"source":0}},{{"source":1}}],"images":[{image},{image}]"#
    ))
}

fn large(_: usize) -> Vec<u8> {
    specular(8_192, 4)
}

fn often(scale: usize) -> Vec<u8> {
    specular(512, 4 * scale)
}
