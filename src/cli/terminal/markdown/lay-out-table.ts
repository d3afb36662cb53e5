import type { Line } from "../text/line.ts";
import type { TablePiece } from "./block.ts";
import {
  type Cell,
  chooseForm,
  renderBorder,
  renderRecord,
  renderRow,
  type TableForm,
  withStyle,
} from "./table-form.ts";

/** The lines of a part of a table, in the form that its first part has settled. */
export function layOutTable(
  settled: TableForm | undefined,
  piece: TablePiece,
  columns: number,
  read: (source: string) => Cell,
): { form: TableForm; lines: Line[] } {
  const rows = piece.rows.map((row) => row.map(read));
  const header = piece.header.map((source) => read(source).map((line) => withStyle(line, "strong")));
  const form = (piece.first ? undefined : settled) ?? chooseForm([header, ...rows], columns, !piece.last);
  if (form.kind === "records") return { form, lines: recordsOf(piece, header, rows, columns) };
  const { widths, isRuled } = form;
  const { aligns, first, last } = piece;
  const lines = first ? [renderBorder("top", widths), ...renderRow(header, widths, aligns)] : [];
  for (const [index, row] of rows.entries()) {
    if (isRuled || (first && index === 0)) lines.push(renderBorder("middle", widths));
    lines.push(...renderRow(row, widths, aligns));
  }
  if (last) lines.push(renderBorder("bottom", widths));
  return { form, lines };
}

function recordsOf(piece: TablePiece, header: readonly Cell[], rows: readonly Cell[][], columns: number): Line[] {
  if (rows.length === 0 && piece.first) return renderRecord([], header, columns);
  return rows.flatMap((row, index) => {
    const gap: Line[] = piece.first && index === 0 ? [] : [[]];
    return [...gap, ...renderRecord(header, row, columns)];
  });
}
