//! A frame on disk: the whole state, so that a run can go on from any frame.

use taffeta::collision::Pairing;
use taffeta::woven::{Bond, Tears};
use taffeta::{Contact, Grip, Pair, Push, Snapshot, State, StepControl};
use xxhash_rust::xxh3::xxh3_64;

use super::codec::{Decoder, Encoder};
use super::manifest::run_of;
use super::seal::{Broken, Kind, open, seal};

/// A frame as the cache holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct CachedFrame {
    /// The frame's number.
    pub number: u32,
    /// The topology it belongs to.
    pub revision: u64,
    /// All that a simulation needs to go on from here.
    pub snapshot: Snapshot,
}

impl CachedFrame {
    /// The bytes of its file in a run of the scene of this identity.
    pub fn sealed(&self, identity: &str) -> Vec<u8> {
        seal(Kind::Frame, run_of(identity), &self.encode())
    }

    /// Reads bytes of [`sealed`](Self::sealed), if they are whole and of the same scene; otherwise
    /// says what they are.
    pub fn unsealed(identity: &str, bytes: &[u8]) -> Result<Self, String> {
        match open(Kind::Frame, run_of(identity), bytes) {
            Ok(payload) => Self::decode(payload),
            Err(Broken::Damaged(why)) => Err(format!("it is damaged: {why}")),
            Err(Broken::Version(found)) => {
                Err(format!("it is of version {found}, which is not ours"))
            }
            Err(Broken::OtherRun) => {
                Err("it is of another scene, or of this one with other values".into())
            }
        }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut to = Encoder::default();
        to.u32(self.number);
        to.u64(self.revision);
        encode_snapshot(&self.snapshot, &mut to);
        to.0
    }

    /// Reads the payload of its file; any bytes at all give a value or an error.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let mut from = Decoder(bytes);
        let number = from.u32()?;
        let revision = from.u64()?;
        let state = State {
            time: from.f64()?,
            positions: from.list(24, Decoder::vector)?,
            velocities: from.list(24, Decoder::vector)?,
            anchors: from.list(28, |from| {
                let held = from.u32()? != 0;
                let anchor = from.vector()?;
                Ok(held.then_some(anchor))
            })?,
            tensions: from.list(8, Decoder::f64)?,
            contacts: from.list(96, decode_contact)?,
            pushes: from.list(52, decode_push)?,
        };
        let control = StepControl {
            h: from.f64()?,
            successes: from.u32()?,
            wait: from.u32()?,
            probing: from.u32()? != 0,
        };
        let tears = decode_tears(&mut from)?;
        from.finish()?;
        if state.velocities.len() != state.positions.len() {
            let (x, v) = (state.positions.len(), state.velocities.len());
            return Err(format!("it has {x} positions but {v} velocities"));
        }
        Ok(Self { number, revision, snapshot: Snapshot { state, control, tears } })
    }
}

/// Where the snapshot begins in a frame's payload: after its number and revision.
const SNAPSHOT: usize = 12;

/// The [`state_hash`] of an encoded frame.
pub(super) fn payload_hash(payload: &[u8]) -> u64 {
    xxh3_64(&payload[SNAPSHOT..])
}

fn decode_contact(from: &mut Decoder) -> Result<Contact, String> {
    Ok(Contact {
        particle: from.u32()?,
        solid: from.u32()?,
        point: from.vector()?,
        normal: from.vector()?,
        grip: match from.u32()? {
            0 => Grip::Stick,
            1 => Grip::Slide,
            code => return Err(format!("it has a contact of kind {code}, which is not known")),
        },
        force: from.f64()?,
        rub: from.vector()?,
        beside: from.u32()? != 0,
    })
}

/// The pairings by their code.
const PAIRINGS: [Pairing; 2] = [Pairing::VertexTriangle, Pairing::EdgeEdge];

fn decode_push(from: &mut Decoder) -> Result<Push, String> {
    let code = from.u32()?;
    let pairing = PAIRINGS.into_iter().find(|pairing| *pairing as u32 == code);
    let pairing =
        pairing.ok_or_else(|| format!("it has a pair of kind {code}, which is not known"))?;
    let particles = [from.u32()?, from.u32()?, from.u32()?, from.u32()?];
    let pair = Pair { pairing, particles };
    Ok(Push { pair, force: from.f64()?, rub: from.vector()? })
}

fn encode_snapshot(snapshot: &Snapshot, to: &mut Encoder) {
    let Snapshot { state, control, tears } = snapshot;
    to.f64(state.time);
    to.list(&state.positions, |to, &position| to.vector(position));
    to.list(&state.velocities, |to, &velocity| to.vector(velocity));
    to.list(&state.anchors, |to, &anchor| {
        to.u32(anchor.is_some().into());
        to.vector(anchor.unwrap_or_default());
    });
    to.list(&state.tensions, |to, &tension| to.f64(tension));
    to.list(&state.contacts, |to, contact| {
        to.u32(contact.particle);
        to.u32(contact.solid);
        to.vector(contact.point);
        to.vector(contact.normal);
        to.u32(contact.grip as u32);
        to.f64(contact.force);
        to.vector(contact.rub);
        to.u32(contact.beside.into());
    });
    to.list(&state.pushes, |to, push| {
        to.u32(push.pair.pairing as u32);
        push.pair.particles.iter().for_each(|&particle| to.u32(particle));
        to.f64(push.force);
        to.vector(push.rub);
    });
    to.f64(control.h);
    to.u32(control.successes);
    to.u32(control.wait);
    to.u32(control.probing.into());
    encode_tears(tears.as_ref(), to);
}

/// The bonds of a crossing by their code.
const BONDS: [Bond; 4] = [Bond::Woven, Bond::Connected, Bond::Loose, Bond::Apart];

fn encode_tears(tears: Option<&Tears>, to: &mut Encoder) {
    to.u32(tears.is_some().into());
    let Some(tears) = tears else { return };
    to.u64(tears.revision);
    to.list(&tears.bonds, |to, &bond| to.u32(bond as u32));
    to.list(&tears.wefts, |to, &weft| to.u32(weft));
    to.list(&tears.torn, |to, &torn| to.u32(torn.into()));
    to.list(&tears.offsets, |to, &offset| to.vector(offset));
    to.list(&tears.loads, |to, &load| to.f64(load));
    to.list(&tears.fine, |to, &fine| to.u32(fine.into()));
}

fn decode_tears(from: &mut Decoder) -> Result<Option<Tears>, String> {
    if from.u32()? == 0 {
        return Ok(None);
    }
    let bond = |code: u32| BONDS.into_iter().find(|bond| *bond as u32 == code);
    Ok(Some(Tears {
        revision: from.u64()?,
        bonds: from.list(4, |from| {
            let code = from.u32()?;
            bond(code)
                .ok_or_else(|| format!("it has a crossing of kind {code}, which is not known"))
        })?,
        wefts: from.list(4, Decoder::u32)?,
        torn: from.list(4, |from| Ok(from.u32()? != 0))?,
        offsets: from.list(24, Decoder::vector)?,
        loads: from.list(8, Decoder::f64)?,
        fine: from.list(4, |from| Ok(from.u32()? != 0))?,
    }))
}

/// A fingerprint of every bit that a run goes on from: time, positions, velocities, the anchors of
/// pins, contacts, links and the step control; of everything in a frame's file but its number and revision.
pub fn state_hash(snapshot: &Snapshot) -> u64 {
    let mut bytes = Encoder::default();
    encode_snapshot(snapshot, &mut bytes);
    xxh3_64(&bytes.0)
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use proptest::prelude::*;

    use super::*;

    fn vectors(len: usize) -> impl Strategy<Value = Vec<DVec3>> {
        // Any bits at all, NaN included: the cache keeps what it is given.
        let any = any::<u64>().prop_map(f64::from_bits);
        prop::collection::vec(prop::array::uniform3(any).prop_map(DVec3::from), len)
    }

    fn frame() -> impl Strategy<Value = CachedFrame> {
        (vectors(5), vectors(5), vectors(2), any::<[u32; 3]>()).prop_map(|(x, v, a, n)| {
            let state = State {
                time: f64::from(n[0]),
                positions: x,
                velocities: v,
                anchors: vec![None, Some(a[0]), Some(a[1])],
                tensions: vec![1.0, a[0].x],
                contacts: vec![Contact {
                    particle: 4,
                    solid: n[1],
                    point: a[0],
                    normal: a[1],
                    grip: Grip::Slide,
                    force: a[0].x,
                    rub: a[1],
                    beside: false,
                }],
                pushes: vec![Push {
                    pair: Pair { pairing: Pairing::EdgeEdge, particles: [1, n[2], 3, 4] },
                    force: a[1].z,
                    rub: a[0],
                }],
            };
            let control = StepControl { h: 0.1, successes: n[1], wait: n[2], probing: true };
            let tears = Some(Tears {
                revision: 3,
                bonds: BONDS.to_vec(),
                wefts: vec![0, n[0], n[1], n[2]],
                torn: vec![true, false],
                offsets: vec![a[1]; 4],
                loads: vec![a[1].y, 0.5],
                fine: vec![true, false, true],
            });
            CachedFrame { number: n[0], revision: 3, snapshot: Snapshot { state, control, tears } }
        })
    }

    proptest! {
        #[test]
        fn every_bit_comes_back(frame in frame()) {
            let bytes = frame.encode();
            let back = CachedFrame::decode(&bytes).unwrap();
            prop_assert_eq!(payload_hash(&bytes), state_hash(&frame.snapshot));
            prop_assert_eq!(back.encode(), bytes);
            prop_assert_eq!(state_hash(&back.snapshot), state_hash(&frame.snapshot));
        }

        #[test]
        fn every_bit_that_a_run_goes_on_from_is_in_the_hash(frame in frame(), which in 0usize..32) {
            let hash = state_hash(&frame.snapshot);
            let mut changed = frame.snapshot;
            let Snapshot { state, control, tears } = &mut changed;
            let flip = |value: &mut f64| *value = f64::from_bits(value.to_bits() ^ 1);
            match which {
                0 => flip(&mut state.time),
                1 => flip(&mut state.positions[4].z),
                2 => flip(&mut state.velocities[0].x),
                3 => flip(&mut state.anchors[2].as_mut().unwrap().y),
                4 => state.anchors[1] = None,
                5 => state.anchors[0] = Some(DVec3::ZERO),
                6 => drop(state.anchors.pop()),
                7 => flip(&mut control.h),
                8 => control.successes ^= 1,
                9 => control.wait ^= 1,
                10 => control.probing = false,
                11 => drop(state.positions.pop()),
                17 => flip(&mut state.tensions[1]),
                12 => drop(state.contacts.pop()),
                13 => state.contacts[0].solid ^= 1,
                14 => flip(&mut state.contacts[0].point.x),
                15 => flip(&mut state.contacts[0].normal.z),
                16 => flip(&mut state.contacts[0].force),
                18 => state.contacts[0].beside = true,
                19 => *tears = None,
                20 => tears.as_mut().unwrap().bonds[2] = Bond::Apart,
                21 => tears.as_mut().unwrap().wefts[3] ^= 1,
                22 => tears.as_mut().unwrap().torn[1] = true,
                23 => flip(&mut tears.as_mut().unwrap().loads[0]),
                24 => flip(&mut tears.as_mut().unwrap().offsets[2].y),
                25 => state.pushes[0].pair.pairing = Pairing::VertexTriangle,
                26 => state.pushes[0].pair.particles[1] ^= 1,
                27 => flip(&mut state.pushes[0].force),
                29 => flip(&mut state.contacts[0].rub.y),
                30 => flip(&mut state.pushes[0].rub.x),
                28 => tears.as_mut().unwrap().fine[1] = true,
                _ => drop(state.velocities.pop()),
            }
            prop_assert_ne!(state_hash(&changed), hash);
        }

        #[test]
        fn what_is_sealed_opens_for_its_scene_alone(frame in frame(), cut in 0usize..100) {
            let bytes = frame.sealed("a scene");
            prop_assert_eq!(CachedFrame::unsealed("a scene", &bytes).unwrap().encode(), frame.encode());
            let other = CachedFrame::unsealed("another", &bytes).unwrap_err();
            prop_assert!(other.contains("another scene"), "{}", other);
            prop_assert!(CachedFrame::unsealed("a scene", &bytes[..cut]).is_err());
        }

        #[test]
        fn rubbish_is_an_error_and_never_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = CachedFrame::decode(&bytes);
        }
    }
}
