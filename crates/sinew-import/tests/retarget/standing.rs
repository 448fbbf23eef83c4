//! Point 4: feet on the ground, limbs as the source's. Contacts come from the source; where joints of the target are is worked out in double precision.

use super::corpus::{MICHELLE, SAMBA, SOLDIER, XBOT, corpus, load};
use super::variants::{dense_from, hero};
use super::world::{self, angle, at, turn};
use glam::{DAffine3, DQuat, DVec3, Vec3};
use sinew::{BoneMap, Character, Clip};
use sinew_contacts::{Contacts, Criteria, Foot, detect};
use sinew_import::{Locks, Options, Retargeted, Retargeting};
use sinew_retarget::{Humanoid, Part, Retarget, Role, Side};

/// What is measured of one clip on one target. Lengths in metres of a figure of 1.8 m.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    contacts: usize,
    /// How far a standing foot is off the ground.
    height: f64,
    /// How far it slides in one contact.
    slide: f64,
    /// How fast joints turn, relative to the same of the source.
    speed: f64,
    /// How much worse knees and elbows bend, in degrees.
    bend: f64,
}

/// The bars of the issue.
const BARS: Measured = Measured { contacts: 1, height: 0.02, slide: 0.03, speed: 1.5, bend: 5.0 };

/// Places of joints of a source and of a target at even times.
struct Both {
    times: Vec<f64>,
    from: Vec<Vec<DAffine3>>,
    to: Vec<Vec<DAffine3>>,
}

impl Both {
    fn of(source: &Character, clip: &Clip, target: &Character, made: &Retargeted) -> Self {
        let steps = (f64::from(made.clip.duration()) * 60.0).ceil().max(2.0) as usize;
        let times = (0..=steps).map(|at| f64::from(made.clip.duration()) * at as f64 / steps as f64);
        let times: Vec<f64> = times.collect();
        let from = times.iter().map(|time| at(source.skeleton(), clip, *time));
        let from = from.collect();
        let to = times.iter().map(|time| at(target.skeleton(), &made.clip, *time)).collect();
        Self { times, from, to }
    }
}

fn joint(roles: &Humanoid, side: Side, part: Part) -> Option<usize> {
    roles.joint(Role::new(side, part)).map(usize::from)
}

/// Height of a figure at rest.
fn tall(character: &Character) -> f64 {
    let bounds = character.rest_bounds();
    let up = Vec3::from(character.space().up);
    f64::from((bounds.max - bounds.min).dot(up.abs()))
}

fn foot(name: String, ankle: usize, toe: Option<usize>) -> Foot {
    Foot { name, ankle: ankle as u16, toe: toe.map(|toe| toe as u16) }
}

/// Contacts of the feet of a source, and of ankles and balls each by itself. Rests of motion capture hang in the air or run, and say nothing about the ground; feet of a
/// figure that runs are slow if they are slow against it.
fn contacts(source: &Character, clip: &Clip, retarget: &Retarget) -> (Contacts, Contacts) {
    let roles = retarget.source_roles();
    let mut criteria = Criteria { level: f32::INFINITY, ..Criteria::default() };
    let parts = |side: Side| [Part::Foot, Part::Toes].map(|part| joint(roles, side, part));
    let feet: Vec<Foot> = Side::BOTH
        .into_iter()
        .map(|side| foot(format!("{side:?}"), parts(side)[0].unwrap(), parts(side)[1]))
        .collect();
    let points: Vec<Foot> = Side::BOTH
        .into_iter()
        .flat_map(|side| [0, 1].map(|part| (side, part, parts(side)[part].or(parts(side)[0]).unwrap())))
        .map(|(side, part, joint)| foot(format!("{side:?} {part}"), joint, None))
        .collect();
    let found = detect(source, clip, &points, &criteria).unwrap();
    let speed = found.ground_speed() / found.height;
    criteria.slow = [criteria.slow[0].max(0.2 * speed), criteria.slow[1].max(0.32 * speed)];
    let find = |feet: &[Foot]| detect(source, clip, feet, &criteria).unwrap();
    (find(&feet), find(&points))
}

/// The part of a vector along the ground.
fn level(v: DVec3, up: DVec3) -> DVec3 {
    v - up * v.dot(up)
}

struct Pair<'a> {
    source: &'a Character,
    target: &'a Character,
    retargeting: &'a Retargeting,
}

impl Pair<'_> {
    fn measure(&self, clip: &Clip) -> Measured {
        let made = self.retargeting.clip(clip).unwrap();
        // Without the frame of the rest that motion capture begins with.
        let clip = &dense_from(self.source, clip, made.start);
        let both = Both::of(self.source, clip, self.target, &made);
        assert!(both.to.iter().flatten().all(|model| model.is_finite()));
        let mut measured = Measured::default();
        self.ground(clip, &both, &mut measured);
        measured.speed = self.speed(&both);
        measured.bend = self.bend(&both);
        measured
    }

    fn ground(&self, clip: &Clip, both: &Both, measured: &mut Measured) {
        let retarget = self.retargeting.retarget();
        let (feet, points) = contacts(self.source, clip, retarget);
        let up = Vec3::from(self.target.space().up).as_dvec3();
        let unit = 1.8 / tall(self.target);
        let rest = self.target.skeleton().rest_model();
        let velocity = retarget.turn() * feet.ground_velocity * retarget.scale();
        let velocity = if feet.in_place { -velocity.as_dvec3() } else { DVec3::ZERO };
        for (side, stands) in Side::BOTH.into_iter().zip(&feet.feet) {
            let of = |part: Part| joint(retarget.target_roles(), side, part);
            let Some(ankle) = of(Part::Foot) else { continue };
            let joints = [ankle, of(Part::Toes).unwrap_or(ankle)];
            let own = &points.feet[if side == Side::Left { 0..2 } else { 2..4 }];
            for stand in &stands.stands {
                let within =
                    |time: f64, [start, end]: [f32; 2]| time >= f64::from(start) && time <= f64::from(end);
                let span = [stand.start, stand.end];
                let (mut slide, mut heights) = (f64::INFINITY, vec![f64::INFINITY; both.times.len()]);
                for (joint, point) in joints.into_iter().zip(own) {
                    for own in &point.stands {
                        let samples = (0..both.times.len()).filter(|&k| {
                            within(both.times[k], span) && within(both.times[k], [own.start, own.end])
                        });
                        let samples: Vec<usize> = samples.collect();
                        let long = (own.end.min(stand.end) - own.start.max(stand.start)) * 3.0;
                        let Some(&first) = samples.first() else { continue };
                        let place = |k: usize| {
                            both.to[k][joint].translation - velocity * (both.times[k] - both.times[first])
                        };
                        for &k in &samples {
                            let height = (place(k).dot(up)
                                - f64::from(rest[joint].translation().dot(up.as_vec3())))
                                * unit;
                            heights[k] = heights[k].min(height.abs());
                        }
                        if long >= stand.end - stand.start {
                            let way = samples.iter().map(|&k| level(place(k) - place(first), up).length());
                            slide = slide.min(way.fold(0.0, f64::max) * unit);
                        }
                    }
                }
                measured.contacts += 1;
                let high = heights.into_iter().filter(|height| height.is_finite()).fold(0.0, f64::max);
                measured.height = measured.height.max(high);
                if slide.is_finite() {
                    measured.slide = measured.slide.max(slide);
                }
            }
        }
    }

    /// The fastest that each joint turns, relative to the fastest that the source's does.
    fn speed(&self, both: &Both) -> f64 {
        let retarget = self.retargeting.retarget();
        let fastest = |models: &[Vec<DAffine3>], joint: usize| {
            let turns: Vec<DQuat> = models.iter().map(|models| turn(&models[joint])).collect();
            turns.windows(2).map(|pair| angle(pair[0], pair[1])).fold(0.0, f64::max)
        };
        let mut worst = 0.0f64;
        for (role, found) in retarget.source_roles().roles() {
            let Some(to) = retarget.target_roles().joint(role) else { continue };
            let [a, b] = [fastest(&both.from, found.joint.into()), fastest(&both.to, to.into())];
            // Below a twentieth of a degree in a sixtieth of a second nothing is seen to turn.
            if b > 0.05 {
                if b / a > 1.5 {
                    println!("  {role}: {b:.3}° a frame, the source {a:.3}°");
                }
                worst = worst.max(b / a);
            }
        }
        worst
    }

    /// How much more a knee or an elbow bends the wrong way or sideways than the source's.
    fn bend(&self, both: &Both) -> f64 {
        let retarget = self.retargeting.retarget();
        let mut worst = 0.0f64;
        let limbs =
            [[Part::UpperLeg, Part::LowerLeg, Part::Foot], [Part::UpperArm, Part::LowerArm, Part::Hand]];
        for (side, parts) in Side::BOTH.into_iter().flat_map(|side| limbs.map(|parts| (side, parts))) {
            let of = |roles: &Humanoid, models: &[Vec<DAffine3>]| {
                wrong_bends(models, parts.map(|part| joint(roles, side, part).unwrap()))
            };
            let source = of(retarget.source_roles(), &both.from);
            let target = of(retarget.target_roles(), &both.to);
            let worse = source.iter().zip(&target).flat_map(|(a, b)| [b[0] - a[0], b[1] - a[1]]);
            worst = worse.fold(worst, f64::max);
        }
        worst
    }
}

/// How far a hinge bends backward and sideways in each frame, in degrees. Its axis, which is fixed in the upper joint, is the one about which it bends in the mean.
fn wrong_bends(models: &[Vec<DAffine3>], [upper, lower, end]: [usize; 3]) -> Vec<[f64; 2]> {
    let segments = models.iter().map(|models| {
        let back = turn(&models[upper]).inverse();
        let place = |joint: usize| models[joint].translation;
        [(place(lower), place(upper)), (place(end), place(lower))]
            .map(|(to, from)| back * (to - from).normalize())
    });
    let segments: Vec<[DVec3; 2]> = segments.collect();
    let axis = segments.iter().map(|[first, second]| first.cross(*second)).sum::<DVec3>().normalize();
    let wrong = |[first, second]: &[DVec3; 2]| {
        let flexed = first.cross(*second).dot(axis).atan2(first.dot(*second));
        let sideways = second.dot(axis).abs().min(1.0).asin();
        [(-flexed).max(0.0).to_degrees(), sideways.to_degrees()]
    };
    segments.iter().map(wrong).collect()
}

/// Files whose clips are carried over.
pub fn sources(folder: &std::path::Path) -> Vec<String> {
    let mut sources: Vec<String> =
        ["ozz/fbx/pab/walk.fbx", "ozz/fbx/pab/run.fbx", SAMBA].map(str::to_owned).to_vec();
    let mut captures: Vec<String> = std::fs::read_dir(folder.join("cmu"))
        .map(|entries| {
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
        })
        .unwrap_or_default();
    captures.sort();
    let readable = |name: &String| sinew_import::Format::detect(&[], name.as_ref()).is_some();
    sources.extend(captures.into_iter().filter(readable).map(|name| format!("cmu/{name}")));
    sources
}

#[test]
fn feet_stand_as_the_sources() {
    let Some(folder) = corpus("feet_stand_as_the_sources") else { return };
    let targets = [hero().clone(), load(&folder, SOLDIER), load(&folder, XBOT), load(&folder, MICHELLE)];
    let mut failed = Vec::new();
    println!("| source | target | contacts | off the ground | slide | without lock | speed | bend |");
    println!("|---|---|---|---|---|---|---|---|");
    for path in sources(&folder) {
        let source = load(&folder, &path);
        for target in &targets {
            let made = Retargeting::new(&source, target, &BoneMap::default(), &Options::default());
            let (plain, _) = made.unwrap();
            let locked = plain.clone().locked(Locks { feet: true, hands: false });
            let [free, kept] = [&plain, &locked].map(|retargeting| {
                let pair = Pair { source: &source, target, retargeting };
                pair.measure(world::clips(&source).first().unwrap())
            });
            let name = format!("{path} | {}", target.name());
            println!(
                "| {name} | {} | {:.1} cm | {:.1} cm | {:.1}, {:.1} cm | {:.2} ({:.2}) | {:.1}° ({:.1}°) |",
                kept.contacts,
                kept.height * 100.0,
                kept.slide * 100.0,
                free.height * 100.0,
                free.slide * 100.0,
                kept.speed,
                free.speed,
                kept.bend,
                free.bend,
            );
            if !(kept.contacts >= BARS.contacts
                && kept.height < BARS.height
                && kept.slide < BARS.slide
                && kept.speed < BARS.speed
                && kept.bend < BARS.bend)
            {
                failed.push(format!("{path} onto {}: {kept:?}", target.name()));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
