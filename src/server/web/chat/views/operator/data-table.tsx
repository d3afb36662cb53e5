import type { VNode } from "preact";
import { sanitizeLine } from "../../../../../kit/text/sanitize.ts";
import { operatorTexts } from "../../state/operator-texts.ts";
import { useSay } from "../page-model.ts";

export interface TableProps {
  readonly label: string;
  readonly columns: readonly (keyof typeof operatorTexts)[];
  readonly rows: readonly (readonly (string | number | VNode)[])[];
}

/** Shows rows of figures. It scrolls, also by keyboard. */
export function DataTable({ label, columns, rows }: TableProps) {
  const say = useSay();
  if (rows.length === 0) return <p class="hint">{say(operatorTexts.none)}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by the keyboard
    // biome-ignore lint/a11y/useSemanticElements: a set of fields would be a part of a form
    <div class="data-table" role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th key={column} scope="col" data-number={isFigure(column, rows[0]?.[at])}>
                {say(operatorTexts[column])}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={columns[at]} data-number={isFigure(columns[at], cell)}>
                  {renderCell(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Costs and times are figures with a unit. */
const withUnit: ReadonlySet<string | undefined> = new Set(["cost", "mean", "longest"]);

function isFigure(column: string | undefined, cell: string | number | VNode | undefined): boolean {
  return typeof cell === "number" || withUnit.has(column);
}

function renderCell(cell: string | number | VNode): string | VNode {
  if (typeof cell === "string") return sanitizeLine(cell);
  return typeof cell === "number" ? cell.toLocaleString("en") : cell;
}
