//! The plain layout: matrices, and one flat list of keys per clip.

use crate::Matrix;
use crate::cursor::{Cursor, Item};
use crate::error::{XnbError, invalid};
use crate::output::Output;

/// Times are in steps of 100 ns.
pub const TICKS_PER_SECOND: i64 = 10_000_000;

/// A key of one bone.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyV1 {
    /// Index of the bone.
    pub bone: u32,
    /// When, in ticks.
    pub time: i64,
    /// Relative to the parent.
    pub local: Matrix,
}

/// A clip.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipV1 {
    /// Its name.
    pub name: String,
    /// How long it lasts, in ticks.
    pub duration: i64,
    /// Its keys, sorted by time, then by bone.
    pub keys: Vec<KeyV1>,
}

/// Bones and clips, without names of bones.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct V1 {
    /// Where bones stand without animation, relative to their parents.
    pub binds: Vec<Matrix>,
    /// From the model to each bone, when the mesh was bound.
    pub inverse_binds: Vec<Matrix>,
    /// Parents; a root has none.
    pub parents: Vec<Option<u32>>,
    /// The clips.
    pub clips: Vec<ClipV1>,
}

impl V1 {
    /// Says what is wrong, if anything: lists of different lengths, a parent that does not come before its child, keys that are not sorted or move
    /// bones that are not there.
    pub fn validate(&self) -> Result<(), XnbError> {
        let count = self.parents.len();
        if self.binds.len() != count || self.inverse_binds.len() != count {
            return Err(invalid(format!(
                "skinning data has {} binds, {} inverse binds and {count} parents: they must be equally many",
                self.binds.len(),
                self.inverse_binds.len()
            )));
        }
        check_parents(self.parents.iter().copied())?;
        self.clips.iter().try_for_each(|clip| check_keys(clip, count))
    }

    pub(crate) fn write(&self, output: &mut Output) -> Result<(), XnbError> {
        self.validate()?;
        output.count("bones", self.parents.len())?;
        self.binds.iter().chain(&self.inverse_binds).for_each(|matrix| output.matrix(matrix));
        for parent in &self.parents {
            output.i32(parent.map_or(-1, |parent| parent as i32));
        }
        output.count("clips", self.clips.len())?;
        for clip in &self.clips {
            output.string(&clip.name)?;
            output.i64(clip.duration);
            output.count("keys", clip.keys.len())?;
            for key in &clip.keys {
                output.u32(key.bone);
                output.i64(key.time);
                output.matrix(&key.local);
            }
        }
        Ok(())
    }

    /// What follows the number of bones.
    pub(crate) fn read(cursor: &mut Cursor<'_>, bones: i32) -> Result<Self, XnbError> {
        let count = usize::try_from(bones).map_err(|_| cursor.wrong(format!("has {bones} bones")))?;
        let matrices = Item { what: "matrices of bones", least: 64 };
        let binds = cursor.items(count, &matrices, |cursor| cursor.matrix("a bind"))?;
        let inverse_binds = cursor.items(count, &matrices, |cursor| cursor.matrix("an inverse bind"))?;
        let parents =
            cursor.items(count, &Item { what: "parents of bones", least: 4 }, |cursor| parent(cursor))?;
        let clips = cursor.u32("the number of clips")? as usize;
        let clips = cursor.items(clips, &Item { what: "clips", least: 13 }, |cursor| {
            let name = cursor.string("the name of a clip")?;
            let duration = cursor.i64("the duration of a clip")?;
            let keys = cursor.u32("the number of keys")? as usize;
            let keys = cursor.items(keys, &Item { what: "keys", least: 76 }, |cursor| {
                let bone = cursor.u32("the bone of a key")?;
                let time = cursor.i64("the time of a key")?;
                Ok(KeyV1 { bone, time, local: cursor.matrix("a key")? })
            })?;
            Ok(ClipV1 { name, duration, keys })
        })?;
        let data = Self { binds, inverse_binds, parents, clips };
        data.validate().map_err(|error| cursor.fail(error.cause))?;
        Ok(data)
    }
}

/// The parent of a bone: −1 for none.
pub(super) fn parent(cursor: &mut Cursor<'_>) -> Result<Option<u32>, XnbError> {
    match cursor.i32("the parent of a bone")? {
        -1 => Ok(None),
        parent => u32::try_from(parent).map(Some).map_err(|_| cursor.wrong(format!("{parent} is no parent"))),
    }
}

/// Parents come before their children.
pub(super) fn check_parents(parents: impl Iterator<Item = Option<u32>>) -> Result<(), XnbError> {
    for (bone, parent) in parents.enumerate() {
        if let Some(parent) = parent.filter(|&parent| parent as usize >= bone) {
            return Err(invalid(format!("bone {bone} has parent {parent}, which does not come before it")));
        }
    }
    Ok(())
}

fn check_keys(clip: &ClipV1, bones: usize) -> Result<(), XnbError> {
    let wrong = |what: String| Err(invalid(format!("clip `{}`: {what}", clip.name)));
    if clip.duration < 0 {
        return wrong(format!("lasts {} ticks", clip.duration));
    }
    if let Some(key) = clip.keys.iter().find(|key| key.bone as usize >= bones) {
        return wrong(format!("a key moves bone {}, and there are {bones}", key.bone));
    }
    let sorted = |a: &KeyV1, b: &KeyV1| (a.time, a.bone) < (b.time, b.bone);
    if !clip.keys.is_sorted_by(sorted) || clip.keys.first().is_some_and(|key| key.time < 0) {
        return wrong("keys are not sorted by time and bone".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SkinningData;

    const IDENTITY: Matrix = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];

    fn data() -> V1 {
        let key = |bone, time| KeyV1 { bone, time, local: IDENTITY };
        V1 {
            binds: vec![IDENTITY; 2],
            inverse_binds: vec![IDENTITY; 2],
            parents: vec![None, Some(0)],
            clips: vec![ClipV1 {
                name: "gehen, für".into(),
                duration: 5,
                keys: vec![key(0, 0), key(1, 0), key(0, 5)],
            }],
        }
    }

    #[test]
    fn bytes_round_trip() {
        let bytes = SkinningData::V1(data()).to_bytes().unwrap();
        assert_eq!(bytes.len(), 4 + 2 * 64 * 2 + 2 * 4 + 4 + 12 + 8 + 4 + 3 * 76);
        let read = SkinningData::from_bytes(&bytes).unwrap();
        assert_eq!(read, SkinningData::V1(data()));
        assert_eq!(read.to_bytes().unwrap(), bytes);
        for end in 0..bytes.len() {
            assert!(SkinningData::from_bytes(&bytes[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn faults_are_refused_on_both_sides() {
        type Fault = fn(&mut V1);
        let faults: [(Fault, &str); 6] = [
            (|d| d.binds.truncate(1), "equally many"),
            (|d| d.parents[1] = Some(1), "before it"),
            (|d| d.clips[0].keys.swap(0, 2), "sorted"),
            (|d| d.clips[0].keys[1].bone = 0, "sorted"),
            (|d| d.clips[0].keys[2].bone = 2, "moves bone 2"),
            (|d| d.clips[0].duration = -1, "lasts"),
        ];
        for (fault, says) in faults {
            let mut wrong = data();
            fault(&mut wrong);
            let error = SkinningData::V1(wrong).to_bytes().unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        // The reader sees the same: the parent of the second bone, and the bone of the last key.
        let bytes = SkinningData::V1(data()).to_bytes().unwrap();
        for (at, value) in [(4 + 256 + 4, 1i32), (bytes.len() - 76, 2)] {
            let mut wrong = bytes.clone();
            wrong[at..at + 4].copy_from_slice(&value.to_le_bytes());
            assert!(SkinningData::from_bytes(&wrong).is_err());
        }
        for count in [-5i32, i32::MAX, 3] {
            let mut wrong = bytes.clone();
            wrong[..4].copy_from_slice(&count.to_le_bytes());
            assert!(SkinningData::from_bytes(&wrong).is_err());
        }
    }
}
