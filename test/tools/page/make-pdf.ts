import { constants, deflateRawSync, deflateSync } from "node:zlib";

export interface MadePdf {
  title?: string;
  /** Marks the file as locked, which is all that a reader without the password sees. */
  encrypted?: boolean;
}

/** A small PDF: one page for each list of lines. Lines may be Chinese; a page without lines is a picture of nothing. */
export function makePdf(pages: string[][], { title, encrypted = false }: MadePdf = {}): Buffer {
  const characters = [...new Set(pages.flat().join(""))];
  const kids = pages.map((_, index) => `${6 + 2 * index} 0 R`);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type0 /BaseFont /Made /Encoding /Identity-H /DescendantFonts [4 0 R] /ToUnicode 5 0 R >>",
    "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Made /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 1000 >>",
    stream(toUnicode(characters)),
    ...pages.flatMap((lines, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${7 + 2 * index} 0 R >>`,
      stream(content(lines, characters)),
    ]),
    `<< /Title ${title === undefined ? "()" : `<feff${hex(Buffer.from(title, "utf16le").swap16())}>`} >>`,
  ];
  return assemble(objects, encrypted);
}

/** A few kilobytes whose page inflates, in two steps, to this many megabytes of blanks. */
export function makePdfBomb(megabytes: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(1_000_000, " "), { finishFlush: constants.Z_FULL_FLUSH });
  // A header, blocks that do not know of one another, and an empty last one; nobody looks at the checksum.
  const once = Buffer.concat([Buffer.from("789c", "hex"), ...Array(megabytes).fill(block), Buffer.from("0300", "hex")]);
  const twice = deflateSync(once, { level: 9 });
  const head = `<< /Length ${twice.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>",
    Buffer.concat([Buffer.from(head), twice, Buffer.from("\nendstream")]),
    "<< >>",
  ];
  return assemble(objects, false);
}

/** Character n of the font is the n-th of the list. */
function toUnicode(characters: readonly string[]): string {
  const lines = characters.map(
    (character, n) => `<${code(n + 1)}> <${hex(Buffer.from(character, "utf16le").swap16())}>`,
  );
  const blocks = Array.from({ length: Math.ceil(lines.length / 100) }, (_, n) => lines.slice(100 * n, 100 * n + 100));
  const maps = blocks.map((block) => `${block.length} beginbfchar\n${block.join("\n")}\nendbfchar`);
  return `/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n1 begincodespacerange <0000> <ffff> endcodespacerange\n${maps.join("\n")}\nendcmap end end`;
}

function content(lines: readonly string[], characters: readonly string[]): string {
  const shown = lines.map((line) => {
    const codes = Array.from(line, (character) => code(characters.indexOf(character) + 1));
    return `<${codes.join("")}> Tj 0 -20 Td`;
  });
  return `BT /F1 12 Tf 50 780 Td ${shown.join("\n")} ET`;
}

function stream(text: string): Buffer {
  const data = deflateSync(text);
  const head = `<< /Length ${data.length} /Filter /FlateDecode >>\nstream\n`;
  return Buffer.concat([Buffer.from(head), data, Buffer.from("\nendstream")]);
}

function assemble(objects: (string | Buffer)[], encrypted: boolean): Buffer {
  const parts = [Buffer.from("%PDF-1.7\n")];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const add = (part: string | Buffer): void => {
    const bytes = Buffer.from(part);
    parts.push(bytes);
    length += bytes.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    add(`${index + 1} 0 obj\n`);
    add(object);
    add("\nendobj\n");
  }
  const start = length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  const zeros = "00".repeat(32);
  const lock = encrypted
    ? `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${zeros}> /U <${zeros}> /P -4 >> /ID [<00> <00>]`
    : "";
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join("")}`);
  add(
    `trailer << /Size ${objects.length + 1} /Root 1 0 R /Info ${objects.length} 0 R ${lock} >>\nstartxref\n${start}\n%%EOF`,
  );
  return Buffer.concat(parts);
}

function code(n: number): string {
  return n.toString(16).padStart(4, "0");
}

function hex(bytes: Buffer): string {
  return bytes.toString("hex");
}
