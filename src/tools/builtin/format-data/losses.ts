import { showValue } from "../../../core/tools/argument-feedback.ts";
import type { JsonValue } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import { readCell } from "./cells.ts";
import type { Table } from "./content.ts";

/** What the cells of a text cannot say of a table, for whoever reads it back. */
export function describeLosses({ columns, rows }: Table): Text[] {
  const cells = [columns, ...rows].flat();
  const losses: [(cell: JsonValue | undefined) => boolean, string, string][] = [
    [
      looksTyped,
      "个文本看起来像数字或真假值，读回时不再是文本",
      "texts look like numbers or true and false, and are read back as such",
    ],
    [(cell) => cell === null, "个 null 写成了空单元格", "null became empty cells"],
    [isBroken, "个文本含不成对的代理字符，会变成 \ufffd", "texts hold half a character, which becomes \ufffd"],
  ];
  return losses.flatMap(([isLost, zh, en]): Text[] => {
    const lost = cells.filter(isLost);
    if (lost.length === 0) return [];
    const example = lost[0] === null ? "" : showValue(lost[0]);
    return [
      {
        zh: `${lost.length} ${zh}${example && `，如 ${example}`}`,
        en: `${lost.length} ${en}${example && `, such as ${example}`}`,
      },
    ];
  });
}

function looksTyped(cell: JsonValue | undefined): boolean {
  return typeof cell === "string" && typeof readCell(cell) !== "string";
}

function isBroken(cell: JsonValue | undefined): boolean {
  return typeof cell === "string" && !cell.isWellFormed();
}
