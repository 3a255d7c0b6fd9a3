//! What hands did, as a file: the scene, the state it began from, and every action with the step it
//! came after.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use taffeta_io::cache::CachedFrame;

use crate::action::Action;
use crate::checkpoint::Checkpoint;
use crate::error::LiveError;

/// The version of the file.
const VERSION: u32 = 2;

/// What a hand did, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "(u32, u32, Action)", into = "(u32, u32, Action)")]
pub struct Done {
    /// The last frame before it.
    pub frame: u32,
    /// How many steps had been taken since.
    pub step: u32,
    /// What was done.
    pub action: Action,
}

impl Done {
    /// The frame and the step it came after.
    pub fn when(&self) -> (u32, u32) {
        (self.frame, self.step)
    }
}

impl From<(u32, u32, Action)> for Done {
    fn from((frame, step, action): (u32, u32, Action)) -> Self {
        Self { frame, step, action }
    }
}

impl From<Done> for (u32, u32, Action) {
    fn from(done: Done) -> Self {
        (done.frame, done.step, done.action)
    }
}

/// What hands did to a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The scene's name.
    pub name: String,
    /// Its text.
    pub scene: String,
    /// The state it began from, if not the scene's own.
    pub from: Option<Checkpoint>,
    /// The last frame.
    pub last: u32,
    /// What was done, in order.
    pub actions: Vec<Done>,
    /// The fingerprint of the last frame's state.
    pub fingerprint: u64,
}

/// As it is written.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Written {
    taffeta_hands: u32,
    name: String,
    scene: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    last: u32,
    fingerprint: String,
    actions: Vec<Done>,
}

impl Recording {
    /// How the names of such files end.
    pub const ENDING: &str = ".hands.json";

    /// Its text.
    pub fn text(&self) -> String {
        let written = Written {
            taffeta_hands: VERSION,
            name: self.name.clone(),
            scene: self.scene.clone(),
            from: self.from.as_ref().map(|from| STANDARD.encode(sealed(from))),
            last: self.last,
            fingerprint: format!("{:016x}", self.fingerprint),
            actions: self.actions.clone(),
        };
        // Strings, numbers and lists can always be written.
        serde_json::to_string(&written).unwrap_or_default()
    }

    /// Reads its text; any text gives a recording or says what is wrong.
    pub fn read(text: &str) -> Result<Self, LiveError> {
        let refuse = |why: String| LiveError::NoRecording(why);
        let written: Written =
            serde_json::from_str(text).map_err(|error| refuse(error.to_string()))?;
        if written.taffeta_hands != VERSION {
            let found = written.taffeta_hands;
            return Err(refuse(format!("it is of version {found}, and {VERSION} is known")));
        }
        let order = written.actions.windows(2).find(|pair| pair[0].when() > pair[1].when());
        if let Some([(frame, step), (next_frame, next_step)]) =
            order.map(|pair| [pair[0].when(), pair[1].when()])
        {
            return Err(refuse(format!(
                "step {step} after frame {frame} comes before step {next_step} after frame {next_frame}"
            )));
        }
        let fingerprint = u64::from_str_radix(&written.fingerprint, 16)
            .map_err(|_| refuse(format!("`{}` is no fingerprint", written.fingerprint)))?;
        let from = match written.from {
            None => None,
            Some(state) => {
                let bytes = STANDARD.decode(state).map_err(|error| refuse(error.to_string()))?;
                let frame = CachedFrame::unsealed(STATE, &bytes).map_err(refuse)?;
                Some(Checkpoint { frame: frame.number, snapshot: frame.snapshot })
            }
        };
        let Written { name, scene, last, actions, .. } = written;
        Ok(Self { name, scene, from, last, actions, fingerprint })
    }
}

/// Whose a state within a recording is.
const STATE: &str = "a recording of hands";

fn sealed(from: &Checkpoint) -> Vec<u8> {
    let snapshot = from.snapshot.clone();
    let revision = snapshot.tears.as_ref().map_or(0, |tears| tears.revision);
    CachedFrame { number: from.frame, revision, snapshot }.sealed(STATE)
}
