import { type JSONVisitor, visit } from "jsonc-parser";
import { showValue } from "../../../core/tools/argument-feedback.ts";
import { getMessage } from "../../../kit/errors.ts";
import type { JsonValue } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import { formatCount } from "../../../kit/text/format-count.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { describePosition, type ParsedContent, unreadableDataError } from "./content.ts";

/** Reads JSON, or JSON Lines as a list. A number that would lose digits becomes text, and repeated keys are reported. */
export function readJson(text: string): ParsedContent {
  const notes: Text[] = [];
  const names = new Set<string>();
  const whole = readWhole(text, notes, names);
  if (whole !== undefined) return { content: { value: whole, names: [...names] }, notes };
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const values = lines.length > 1 && lines.every((line) => /^\s*[{[].*[}\]]\s*$/s.test(line)) ? lines : [];
  const read = values.map((line) => readWhole(line, notes, names));
  if (read.length > 0 && read.every((value) => value !== undefined)) {
    const zh = `每行一个 JSON（JSON Lines），共 ${read.length} 行`;
    return {
      content: { value: read, names: [...names] },
      notes: [...notes, { zh, en: `One JSON value per line (JSON Lines): ${formatCount(read.length, "line")}` }],
    };
  }
  throw invalidJsonError(text);
}

/** Returns undefined when the text is not JSON. */
function readWhole(text: string, notes: Text[], names: Set<string>): JsonValue | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { repeated, numbers } = inspect(text, names);
  notes.push(...repeated);
  if (numbers.length === 0) return value;
  const shown = showValue(numbers[0]?.digits);
  const zh = `${numbers.length} 个位数过多的数字按文本保留，如 ${shown}`;
  const en =
    numbers.length === 1 ? "1 number with too many digits is" : `${numbers.length} numbers with too many digits are`;
  notes.push({ zh, en: `${en} kept as text, such as ${shown}` });
  return JSON.parse(quoteNumbers(text, numbers));
}

interface LongNumber {
  offset: number;
  digits: string;
}

/** Finds repeated keys in an object and numbers that a double cannot hold, and collects the names of the outermost objects. */
function inspect(text: string, names: Set<string>): { repeated: Text[]; numbers: LongNumber[] } {
  const repeated: Text[] = [];
  const numbers: LongNumber[] = [];
  const open: Set<string>[] = [];
  const visitor: JSONVisitor = {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty(name, offset) {
      const keys = open.at(-1);
      if (open.length === 1) names.add(name);
      if (keys?.has(name) && repeated.length < 5) {
        const place = describePosition(text, offset);
        repeated.push({
          zh: `键重复，取后者：${place.zh}`,
          en: `Duplicate key, the later value is used: ${place.en}`,
        });
      }
      keys?.add(name);
    },
    onLiteralValue(value: unknown, offset, length) {
      const digits = text.slice(offset, offset + length);
      if (typeof value === "number" && hasLostDigits(digits, value)) numbers.push({ offset, digits });
    },
  };
  try {
    visit(text, visitor);
  } catch (thrown) {
    // Nested deeper than the stack; the depth is refused elsewhere.
    if (!(thrown instanceof RangeError)) throw thrown;
  }
  return { repeated, numbers };
}

function hasLostDigits(digits: string, value: number): boolean {
  const significant = digits
    .replace(/[eE].*$/, "")
    .replace(/\D/g, "")
    .replace(/^0+/, "").length;
  return !Number.isFinite(value) || (significant > 15 && String(value) !== digits);
}

function quoteNumbers(text: string, numbers: readonly LongNumber[]): string {
  let end = 0;
  const parts = numbers.map(({ offset, digits }) => {
    const before = text.slice(end, offset);
    end = offset + digits.length;
    return `${before}"${digits}"`;
  });
  return parts.join("") + text.slice(end);
}

function invalidJsonError(text: string): Error {
  let offset: number | undefined;
  const onError = (_: unknown, at: number): void => {
    offset ??= at;
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch (thrown) {
    return unreadableDataError("JSON 嵌套过深", "The JSON is nested too deeply.", thrown);
  }
  const place = describePosition(text, offset ?? text.length);
  const reason = findReason(text);
  return unreadableDataError(`JSON 有误（${reason}）：${place.zh}`, `The JSON is not valid (${reason}): ${place.en}`);
}

/** Returns the message of `JSON.parse` without the excerpt of the text that it adds. */
function findReason(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (thrown) {
    return sanitizeLine(getMessage(thrown).split(/ in JSON| at position|, \.{0,3}"/)[0] ?? "");
  }
}
