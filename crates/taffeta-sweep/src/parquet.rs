//! Tables as Parquet files: one group of rows, one plain page for each column, nothing compressed.
//! The format is Apache Parquet 2.10; its own structures are in Thrift's compact protocol.

use crate::column::Column;

const MAGIC: &[u8] = b"PAR1";
/// Encodings by number.
const PLAIN: i64 = 0;
const RLE: i64 = 3;
/// Kinds of Thrift's fields.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// The bytes of a file.
pub fn file(columns: &[(String, Column)], rows: usize) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    let chunks: Vec<Chunk> = columns
        .iter()
        .map(|(name, column)| Chunk::append(&mut bytes, name, column, rows))
        .collect();
    let mut footer = Thrift::default();
    footer.number(1, I32, 2);
    footer.list(2, STRUCT, columns.len() + 1);
    footer.schema_root(columns.len());
    chunks.iter().for_each(|chunk| footer.schema_column(chunk));
    footer.after(2);
    footer.number(3, I64, rows as i64);
    footer.list(4, STRUCT, 1);
    footer.row_group(&chunks, rows);
    footer.after(4);
    footer.text(6, concat!("Taffeta ", env!("CARGO_PKG_VERSION")));
    footer.end();
    bytes.extend(&footer.bytes);
    bytes.extend((footer.bytes.len() as u32).to_le_bytes());
    bytes.extend(MAGIC);
    bytes
}

/// A column in the file.
struct Chunk<'a> {
    name: &'a str,
    /// INT64, DOUBLE or BYTE_ARRAY by number.
    kind: i64,
    start: usize,
    size: usize,
    rows: usize,
}

impl<'a> Chunk<'a> {
    fn append(to: &mut Vec<u8>, name: &'a str, column: &Column, rows: usize) -> Self {
        let (kind, known, values) = match column {
            Column::Whole(cells) => {
                (2, presence(cells), plain(cells, |v| v.to_le_bytes().to_vec()))
            }
            Column::Number(cells) => {
                (5, presence(cells), plain(cells, |v| v.to_le_bytes().to_vec()))
            }
            Column::Text(cells) => (
                6,
                presence(cells),
                plain(cells, |v| {
                    let length = (v.len() as u32).to_le_bytes();
                    length.into_iter().chain(v.bytes()).collect()
                }),
            ),
        };
        let levels = levels(&known);
        let page = levels.len() + values.len();
        let mut header = Thrift::default();
        header.number(1, I32, 0);
        header.number(2, I32, page as i64);
        header.number(3, I32, page as i64);
        header.open(5);
        header.number(1, I32, rows as i64);
        header.number(2, I32, PLAIN);
        header.number(3, I32, RLE);
        header.number(4, I32, RLE);
        header.end();
        header.end();
        let start = to.len();
        to.extend(&header.bytes);
        to.extend(levels);
        to.extend(values);
        Self { name, kind, start, size: to.len() - start, rows }
    }
}

fn presence<T>(cells: &[Option<T>]) -> Vec<bool> {
    cells.iter().map(Option::is_some).collect()
}

fn plain<T>(cells: &[Option<T>], bytes: impl Fn(&T) -> Vec<u8>) -> Vec<u8> {
    cells.iter().flatten().flat_map(bytes).collect()
}

/// Which cells are there: runs of equal ones, after their length in bytes.
fn levels(known: &[bool]) -> Vec<u8> {
    let mut runs = Vec::new();
    for run in known.chunk_by(|a, b| a == b) {
        varint(&mut runs, (run.len() as u64) << 1);
        runs.push(run[0].into());
    }
    [(runs.len() as u32).to_le_bytes().to_vec(), runs].concat()
}

fn varint(to: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

/// Writes Thrift's compact protocol.
#[derive(Default)]
struct Thrift {
    bytes: Vec<u8>,
    /// The last field of the structure that is open, and of those around it.
    last: u8,
    around: Vec<u8>,
}

impl Thrift {
    fn field(&mut self, id: u8, kind: u8) {
        self.bytes.push((id - self.last) << 4 | kind);
        self.last = id;
    }

    fn number(&mut self, id: u8, kind: u8, value: i64) {
        self.field(id, kind);
        self.zigzag(value);
    }

    fn zigzag(&mut self, value: i64) {
        varint(&mut self.bytes, ((value << 1) ^ (value >> 63)) as u64);
    }

    fn text(&mut self, id: u8, text: &str) {
        self.field(id, BINARY);
        self.words(text);
    }

    fn words(&mut self, text: &str) {
        varint(&mut self.bytes, text.len() as u64);
        self.bytes.extend(text.bytes());
    }

    /// Opens a structure in a field.
    fn open(&mut self, id: u8) {
        self.field(id, STRUCT);
        self.begin();
    }

    /// Opens a structure in a list.
    fn begin(&mut self) {
        self.around.push(std::mem::take(&mut self.last));
    }

    fn end(&mut self) {
        self.bytes.push(0);
        self.last = self.around.pop().unwrap_or_default();
    }

    /// The items follow.
    fn list(&mut self, id: u8, kind: u8, count: usize) {
        self.field(id, LIST);
        if count < 15 {
            self.bytes.push((count as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            varint(&mut self.bytes, count as u64);
        }
    }

    /// The items of a list are written, and the structure goes on after its field.
    fn after(&mut self, id: u8) {
        self.last = id;
    }

    fn schema_root(&mut self, columns: usize) {
        self.begin();
        self.text(4, "table");
        self.number(5, I32, columns as i64);
        self.end();
    }

    fn schema_column(&mut self, chunk: &Chunk) {
        self.begin();
        self.number(1, I32, chunk.kind);
        // Cells may be missing.
        self.number(3, I32, 1);
        self.text(4, chunk.name);
        if chunk.kind == 6 {
            // Bytes are text in UTF-8.
            self.number(6, I32, 0);
        }
        self.end();
    }

    fn row_group(&mut self, chunks: &[Chunk], rows: usize) {
        self.begin();
        self.list(1, STRUCT, chunks.len());
        for chunk in chunks {
            self.begin();
            self.number(2, I64, chunk.start as i64);
            self.open(3);
            self.column(chunk);
            self.end();
            self.end();
        }
        self.after(1);
        let size: usize = chunks.iter().map(|chunk| chunk.size).sum();
        self.number(2, I64, size as i64);
        self.number(3, I64, rows as i64);
        self.end();
    }

    fn column(&mut self, chunk: &Chunk) {
        self.number(1, I32, chunk.kind);
        self.list(2, I32, 2);
        self.zigzag(PLAIN);
        self.zigzag(RLE);
        self.list(3, BINARY, 1);
        self.words(chunk.name);
        self.number(4, I32, 0);
        self.number(5, I64, chunk.rows as i64);
        self.number(6, I64, chunk.size as i64);
        self.number(7, I64, chunk.size as i64);
        self.number(9, I64, chunk.start as i64);
    }
}
