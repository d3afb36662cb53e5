import { type Document, isScalar, parseAllDocuments, visit } from "yaml";
import { showValue } from "../../../core/tools/argument-feedback.ts";
import { getMessage } from "../../../kit/errors.ts";
import { isRecord, type JsonValue } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { describePosition, type ParsedContent, unreadableDataError } from "./content.ts";

/** Limits the text, in characters, because parsing is slow. */
const longest = 300_000;

/**
 * With these options the parser takes linear time. Otherwise it processes the preceding text again for each error and each key.
 * Repeated keys are found here instead.
 */
const linear = { prettyErrors: false, uniqueKeys: false };

/**
 * Reads YAML 1.2 with only the core tags. Several documents become a list. What JSON cannot hold becomes text, and repeated keys
 * are reported.
 */
export function readYaml(text: string): ParsedContent {
  if (text.length > longest) {
    const zh = `YAML 有 ${text.length} 个字符，上限 ${longest}`;
    throw unreadableDataError(zh, `The YAML has ${text.length} characters; at most ${longest} are read.`);
  }
  const notes: Text[] = [];
  const options = { merge: true, intAsBigInt: true, resolveKnownTags: false, logLevel: "silent" as const, ...linear };
  const parsed = parseAllDocuments(text, options);
  const documents = Array.isArray(parsed) ? parsed : [];
  const values = documents.map((document) => readDocument(document, text, notes));
  const names = [...new Set(documents.flatMap(listOutermostNames))];
  if (documents.length > 1) {
    const zh = `${documents.length} 个 YAML 文档合为一个列表`;
    notes.push({ zh, en: `${documents.length} YAML documents became one list` });
  }
  const [only = null] = values;
  return { content: { value: documents.length > 1 ? values : only, names }, notes };
}

function readDocument(document: Document.Parsed, text: string, notes: Text[]): JsonValue {
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) {
    const place = describePosition(text, fault.pos[0]);
    if (fault.code === "TAG_RESOLVE_FAILED")
      throw unreadableDataError(
        `不支持 YAML 的这种标签：${place.zh}`,
        `This tag is not supported in YAML: ${place.en}`,
      );
    const reason = /call stack/.test(fault.message) ? "nested too deeply" : sanitizeLine(fault.message);
    throw unreadableDataError(`YAML 有误（${reason}）：${place.zh}`, `The YAML is not valid (${reason}): ${place.en}`);
  }
  notes.push(...listRepeatedKeys(document, text));
  try {
    return settle(document.toJS({ maxAliasCount: 100 }), notes);
  } catch (thrown) {
    if (thrown instanceof RangeError) {
      const zh = "YAML 无法读取：别名引用了包含它自己的内容，或嵌套过深";
      throw unreadableDataError(
        zh,
        "The YAML cannot be read: an alias refers to something that contains it, or it is nested too deeply.",
        thrown,
      );
    }
    const reason = showValue(getMessage(thrown));
    throw unreadableDataError(`YAML 无法读取：${reason}`, `The YAML cannot be read: ${reason}`, thrown);
  }
}

function listRepeatedKeys(document: Document.Parsed, text: string): Text[] {
  const notes: Text[] = [];
  visit(document, {
    Map(_, { items }) {
      const names = new Set<unknown>();
      for (const { key } of items) {
        const name = isScalar(key) && key.value !== "<<" ? String(key.value) : undefined;
        if (isScalar(key) && names.has(name) && notes.length < 5) {
          const place = describePosition(text, key.range?.[0] ?? 0);
          notes.push({ zh: `键重复，取后者：${place.zh}`, en: `Duplicate key, the later value is used: ${place.en}` });
        }
        if (name !== undefined) names.add(name);
      }
    },
  });
  return notes;
}

/** Returns the names of the outermost objects, in the order of the text. */
function listOutermostNames(document: Document): string[] {
  const names: string[] = [];
  visit(document, {
    Map(_, { items }) {
      names.push(...items.flatMap(({ key }) => (isScalar(key) ? [String(key.value)] : [])));
      return visit.SKIP;
    },
  });
  return names;
}

/** Converts a value to one that JSON can hold. */
function settle(value: unknown, notes: Text[]): JsonValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value === "bigint" && Number.isSafeInteger(Number(value))) return Number(value);
  if (Array.isArray(value)) return value.map((item) => settle(item, notes));
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, settle(item, notes)]));
  const text = String(value);
  notes.push({ zh: `数字 ${text} 按文本保留`, en: `The number ${text} is kept as text` });
  return text;
}
