import { stringify } from "csv-stringify/sync";
import readSheets from "read-excel-file/universal";
import { cleanLine, cleanText } from "../page/page.ts";

/** Returns the sheets of an Excel file as CSV, each under its name, or undefined where it cannot be read. */
export async function readExcel(bytes: Uint8Array): Promise<string | undefined> {
  const sheets = await readSheets(new Blob([new Uint8Array(bytes)])).catch(() => undefined);
  return sheets
    ?.map(({ sheet, data }) => ({ name: cleanLine(sheet, 100), rows: dropEmpty(data) }))
    .filter(({ rows }) => rows.length > 0)
    .map(({ name, rows }) => `## ${name}\n\n${cleanText(stringify(rows, { cast: casts }))}`)
    .join("\n\n");
}

const casts = { date: toDateText, boolean: String };

/** Leaves out empty rows, and columns in which nothing stands. */
function dropEmpty(data: readonly (readonly unknown[])[]): unknown[][] {
  const rows = data.filter((row) => row.some((cell) => cell !== null));
  const used = new Set<number>();
  for (const row of rows) for (const [column, cell] of row.entries()) if (cell !== null) used.add(column);
  return rows.map((row) => row.filter((_, column) => used.has(column)));
}

/** Rounds to seconds, because Excel counts days in fractions that are not exact. It knows no time zone. */
function toDateText(date: Date): string {
  const text = new Date(Math.round(date.getTime() / 1000) * 1000).toISOString();
  return text.replace("T00:00:00.000Z", "").replace("T", " ").replace(".000Z", "");
}
