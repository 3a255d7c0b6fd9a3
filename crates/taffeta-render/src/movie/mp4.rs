//! MP4: the boxes around an H.264 stream (ISO/IEC 14496-12 and -15).

use std::path::{Path, PathBuf};

use super::h264::H264;
use super::{Created, Output, Plan, Writer};
use crate::error::RenderError;
use crate::picture::Picture;

struct Mp4 {
    output: Output,
    encoder: H264,
    size: [u32; 2],
    /// Clock ticks in a second; a picture lasts [`TICKS`].
    clock: u32,
    data_start: u64,
    samples: Vec<u32>,
    keys: Vec<u32>,
    /// The stream's parameter sets.
    sequence: Vec<u8>,
    picture: Vec<u8>,
}

/// Clock ticks a picture lasts.
const TICKS: u32 = 1000;
/// Unit types of H.264.
const SEQUENCE_PARAMETERS: u8 = 7;
const PICTURE_PARAMETERS: u8 = 8;
/// No turn, no stretch: three rows of fixed-point numbers.
const IDENTITY: [u32; 9] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];

pub(super) fn create(path: &Path, plan: &Plan) -> Created {
    let mut output = Output::create(path)?;
    let [width, height] = plan.size;
    if width % 2 == 1 || height % 2 == 1 {
        let why = format!("an mp4 movie needs even sides, not {width} × {height}");
        return Err(output.refuse(why));
    }
    if width.max(height) > 3840 || width.min(height) > 2160 || width.min(height) < 16 {
        let why = format!("an mp4 movie has 16 to 3840 × 2160 pixels, not {width} × {height}");
        return Err(output.refuse(why));
    }
    let encoder =
        H264::new(plan.size, plan.rate).map_err(|error| output.refuse(error.to_string()))?;
    output.append(&atom(b"ftyp", &[b"isom\0\0\x02\0isomiso2avc1mp41"]))?;
    let data_start = output.written();
    // A box of 64-bit length, known at the end.
    output.append(b"\0\0\0\x01mdat\0\0\0\0\0\0\0\0")?;
    Ok(Box::new(Mp4 {
        output,
        encoder,
        size: plan.size,
        clock: (plan.rate * f64::from(TICKS)).round() as u32,
        data_start,
        samples: Vec::new(),
        keys: Vec::new(),
        sequence: Vec::new(),
        picture: Vec::new(),
    }))
}

impl Writer for Mp4 {
    fn add(&mut self, _number: u32, picture: &Picture) -> Result<(), RenderError> {
        let coded =
            self.encoder.encode(picture).map_err(|error| self.output.refuse(error.to_string()))?;
        let before = self.output.written();
        for unit in &coded.units {
            match unit.first().map(|header| header & 0x1f) {
                Some(SEQUENCE_PARAMETERS) => self.sequence.clone_from(unit),
                Some(PICTURE_PARAMETERS) => self.picture.clone_from(unit),
                _ => {
                    self.output.append(&(unit.len() as u32).to_be_bytes())?;
                    self.output.append(unit)?;
                }
            }
        }
        self.samples.push((self.output.written() - before) as u32);
        if coded.key {
            self.keys.push(self.samples.len() as u32);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<PathBuf>, RenderError> {
        let length = self.output.written() - self.data_start;
        self.output.patch(self.data_start + 8, &length.to_be_bytes())?;
        let movie = self.movie_box();
        self.output.append(&movie)?;
        Ok(vec![self.output.finish()?])
    }
}

impl Mp4 {
    fn duration(&self) -> u32 {
        (self.samples.len() as u32).saturating_mul(TICKS)
    }

    fn movie_box(&self) -> Vec<u8> {
        let mut header = numbers(&[0, 0, 0, self.clock, self.duration(), 0x1_0000]);
        header.extend(numbers(&[0x0100_0000, 0, 0]));
        header.extend(numbers(&IDENTITY));
        header.extend(numbers(&[0, 0, 0, 0, 0, 0, 2]));
        atom(b"moov", &[&atom(b"mvhd", &[&header]), &self.track_box()])
    }

    fn track_box(&self) -> Vec<u8> {
        // Shown, and part of the movie.
        let mut header = numbers(&[3, 0, 0, 1, 0, self.duration(), 0, 0, 0, 0]);
        header.extend(numbers(&IDENTITY));
        header.extend(numbers(&[self.size[0] << 16, self.size[1] << 16]));
        // The language is `und`: not told.
        let media = numbers(&[0, 0, 0, self.clock, self.duration(), 0x55c4_0000]);
        let handler = [&numbers(&[0, 0])[..], b"vide", &[0; 12], b"picture\0"].concat();
        let here = atom(b"url ", &[&numbers(&[1])]);
        let place = atom(b"dinf", &[&atom(b"dref", &[&numbers(&[0, 1]), &here])]);
        let video = atom(b"vmhd", &[&numbers(&[1, 0, 0])]);
        let inside = atom(b"minf", &[&video, &place, &self.sample_table()]);
        let media =
            atom(b"mdia", &[&atom(b"mdhd", &[&media]), &atom(b"hdlr", &[&handler]), &inside]);
        atom(b"trak", &[&atom(b"tkhd", &[&header]), &media])
    }

    fn sample_table(&self) -> Vec<u8> {
        let count = self.samples.len() as u32;
        let counted = |list: &[u32]| [numbers(&[0, list.len() as u32]), numbers(list)].concat();
        let first = self.data_start + 16;
        let chunk = [numbers(&[0, 1]), first.to_be_bytes().to_vec()].concat();
        let sizes = [numbers(&[0, 0, count]), numbers(&self.samples)].concat();
        atom(
            b"stbl",
            &[
                &atom(b"stsd", &[&numbers(&[0, 1]), &self.description()]),
                &atom(b"stts", &[&numbers(&[0, 1, count, TICKS])]),
                &atom(b"stss", &[&counted(&self.keys)]),
                &atom(b"stsc", &[&numbers(&[0, 1, 1, count, 1])]),
                &atom(b"stsz", &[&sizes]),
                &atom(b"co64", &[&chunk]),
            ],
        )
    }

    /// What the stream is, with its parameter sets.
    fn description(&self) -> Vec<u8> {
        let [width, height] = self.size.map(|side| (side as u16).to_be_bytes());
        let mut entry = [0, 0, 0, 0, 0, 0, 0, 1].to_vec();
        entry.extend([0; 16]);
        entry.extend([width, height].concat());
        // 72 dots an inch twice, one picture a sample, no name, 24 bits, no palette.
        entry.extend(numbers(&[0x48_0000, 0x48_0000, 0]));
        entry.extend([0, 1]);
        entry.extend([0; 32]);
        entry.extend([0, 24, 0xff, 0xff]);
        let profile = self.sequence.get(1..4).unwrap_or(&[66, 0xc0, 31]);
        // Lengths of four bytes; one sequence and one picture parameter set.
        let mut config = [&[1], profile, &[0xff, 0xe1]].concat();
        config.extend((self.sequence.len() as u16).to_be_bytes());
        config.extend_from_slice(&self.sequence);
        config.push(1);
        config.extend((self.picture.len() as u16).to_be_bytes());
        config.extend_from_slice(&self.picture);
        // BT.709 colours in limited range.
        let colours = atom(b"colr", &[b"nclx\0\x01\0\x01\0\x01\0"]);
        atom(b"avc1", &[&entry, &atom(b"avcC", &[&config]), &colours])
    }
}

/// A box: its length, its name, its content.
fn atom(name: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let content: usize = parts.iter().map(|part| part.len()).sum();
    let mut bytes = Vec::with_capacity(content + 8);
    bytes.extend((content as u32 + 8).to_be_bytes());
    bytes.extend_from_slice(name);
    parts.iter().for_each(|part| bytes.extend_from_slice(part));
    bytes
}

fn numbers(list: &[u32]) -> Vec<u8> {
    list.iter().flat_map(|number| number.to_be_bytes()).collect()
}
