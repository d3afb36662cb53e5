import type { FoundTool, Tool, ToolIndex } from "../../core/tools/tool.ts";

/** Limits the tools that are loaded for a question before a model has asked for any. */
export const mostPreloaded = 5;

/** Sets the scores below which a tool is not preloaded: by itself, and relative to the best. */
const leastScore = 0.3;
/** Chinese words find English descriptions, and the other way round, by words of a like meaning, which count for less. */
const leastScoreInChinese = 0.25;
const leastShare = 0.6;

/**
 * A tool that writes has to fit the question without its verbs, too, by this score or nearly as well as the best: "write a haiku" is
 * about no file.
 */
const leastObjectScore = 0.15;
const leastObjectShare = 0.6;

/** Limits the tools whose scores are looked at. */
const mostCompared = 30;

export interface PreloadOptions {
  /** Lists the texts to match, best first: the question, and what was asked before it. */
  questions: readonly string[];
  /** Lists the tools of the program and its user. */
  own: readonly Tool[];
  index(): ToolIndex;
}

/**
 * Returns the tools for the first question that matches any, best first. Most runs then need no search. A tool that writes comes
 * only where the question asks for writing, and a twin of a built-in tool never: both are still found by a search.
 */
export function choosePreloaded({ questions, own, index }: PreloadOptions): Tool[] {
  for (const question of questions) {
    const clauses = readClauses(question);
    const writable = findWritable(clauses, index());
    const found = findBest(clauses, index()).filter(({ tool }) => !isTwin(tool, own));
    const isAllowed = ({ tool }: FoundTool): boolean => !isWriting(tool) || writable.has(tool);
    const allowed = found.filter(isAllowed);
    const leastAlone = /\p{Script=Han}/u.test(question) ? leastScoreInChinese : leastScore;
    const least = Math.max(leastAlone, leastShare * (allowed[0]?.score ?? 0));
    const fitting = allowed.filter(({ score }) => score >= least).slice(0, mostPreloaded);
    if (fitting.length > 0) return addFinders(fitting, found).map(({ tool }) => tool);
  }
  return [];
}

/**
 * Splits a question, because the parts of a long one would together reach any score. Names with points (files, hosts, products such
 * as Node.js) say nothing about a tool by their letters; a file's name says that a file is meant.
 */
function readClauses(question: string): string[] {
  const plain = question
    .replace(/https?:\/\/\S+/g, " ")
    .replace(/[\w.-]+\/(?=[\s,.;!?，。；！？]|$)/g, " directory ")
    .replace(/[\w-]+(?:\.[\w-]+)+/g, (name) => (fileName.test(name) && !productName.test(name) ? " file " : " "))
    .replace(/\b(?:named|called)\b|(?<!改)名为|名叫|叫做/gi, " ");
  return plain.split(/[.。!！?？;；,，、\n]|\band\b|\bthen\b|并且?|然后/i).filter((clause) => clause.trim() !== "");
}

const fileName =
  /\.(?:md|txt|csv|tsv|json|jsonl|ya?ml|toml|xml|html?|log|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|js|ts|py|go|rs|java|c|h|cpp|sh|sql|ini|conf|env)$/i;
const productName = /^[A-Z]\w*\.js$/;

/** Returns each tool with its best score in any clause, the best first. */
function findBest(clauses: readonly string[], index: ToolIndex): FoundTool[] {
  const best = new Map<Tool, FoundTool>();
  for (const each of clauses.flatMap((clause) => index.find(clause, mostCompared))) {
    if (each.score > (best.get(each.tool)?.score ?? 0)) best.set(each.tool, each);
  }
  return [...best.values()].toSorted((a, b) => b.score - a.score);
}

/** Returns the tools that fit what a question wants written, and none where it asks for no writing. */
function findWritable(clauses: readonly string[], index: ToolIndex): ReadonlySet<Tool> {
  const writable = new Set<Tool>();
  for (const clause of clauses.filter((each) => isWritingWanted(each) && !asksWhen.test(each))) {
    const rest = clause.replaceAll(new RegExp(writingVerbs, "gi"), " ");
    const found = index.find(rest, mostCompared);
    const least = Math.min(leastObjectScore, leastObjectShare * (found[0]?.score ?? 0));
    for (const { tool, score } of found) if (score >= least) writable.add(tool);
  }
  return writable;
}

/** Asks when something was changed, not to change it. */
const asksWhen = /\bwhen\b|什么时候|何时|几时/i;

/** Adds to tools that delete or change entries the tool of their server that finds the entries. */
function addFinders(chosen: readonly FoundTool[], found: readonly FoundTool[]): FoundTool[] {
  const changed = chosen.filter(({ tool }) => hasNameWord(tool, changingNames)).map(({ tool }) => tool.source);
  const finders = [...new Set(changed)].flatMap((source) => {
    const isFinder = ({ tool }: FoundTool) => tool.source === source && hasNameWord(tool, findingNames);
    return chosen.some(isFinder) ? [] : (found.find(isFinder) ?? []);
  });
  return [...chosen.slice(0, mostPreloaded - finders.length), ...finders];
}

function hasNameWord(tool: Tool, words: ReadonlySet<string>): boolean {
  return listNameWords(toOwnName(tool)).some((word) => words.has(word));
}

const changingNames: ReadonlySet<string> = new Set([
  "delete",
  "remove",
  "update",
  "edit",
  "clear",
  "删除",
  "修改",
  "更新",
]);
const findingNames: ReadonlySet<string> = new Set(["search", "find", "query", "搜索", "查找", "查询"]);

/**
 * Returns true when a server's tool does what a built-in one does, by its name: it has every word of the built-in's name, in any
 * order. `fs__read_text_file` is a twin of `read_file`, and `fs__search_files` one of `file_search`.
 */
export function isTwin(tool: Tool, own: readonly Tool[]): boolean {
  if (tool.source === "builtin") return false;
  const words = new Set(listNameWords(toOwnName(tool)));
  return own.some(({ name, source }) => {
    if (source !== "builtin") return false;
    const needed = listNameWords(name);
    return needed.length === 1 ? words.size === 1 && words.has(name) : needed.every((word) => words.has(word));
  });
}

/** Returns true for a tool that says that it changes something or, where it says nothing, is named after a change. */
export function isWriting(tool: Tool): boolean {
  const { readOnly, destructive } = tool.annotations;
  if (readOnly !== undefined) return !readOnly;
  return destructive === true || listNameWords(toOwnName(tool)).some((word) => writingNames.has(word));
}

/** Returns true when a question has a verb of writing, sending or changing, in Chinese or English. */
export function isWritingWanted(question: string): boolean {
  return writingVerbs.test(question);
}

const writingNames: ReadonlySet<string> = new Set(
  (
    "write create add edit update delete remove move rename copy append insert replace set put post patch send upload save " +
    "store clear drop publish submit modify mkdir push merge commit 写 写入 创建 新建 添加 删除 修改 更新 移动 发送 上传 保存"
  ).split(" "),
);

const writingVerbs =
  /\b(writ(e|es|ing|ten)|creat(e|es|ing)|add(s|ing)?|edit(s|ing)?|updat(e|es|ing)|delet(e|es|ing)|remov(e|es|ing)|mov(e|es|ing)|renam(e|es|ing)|cop(y|ies|ying)|append(s|ing)?|insert(s|ing)?|replac(e|es|ing)|chang(e|es|ing)|modif(y|ies|ying)|fix|set|put|post|send(s|ing)?|upload(s|ing)?|sav(e|es|ing)|stor(e|es|ing)|clear|publish|submit|remember|record|note down|forget|make|mkdir|push|merge|commit)\b|写|创建|新建|建一?个|建立|生成|添加|增加|新增|追加|插入|加到|加入|删|移除|移动|移到|挪到|搬到|改名|重命名|改成|改为|修改|更改|更新|编辑|替换|复制|拷贝|保存|存到|存入|存成|存为|记住|记下|记录|记到|忘掉|忘记|发送|发给|发邮件|发一封|发布|上传|提交|推送|合并|清空|设置|设为/i;

/** Returns the tool's name on its server, without the server's prefix. */
export function toOwnName({ name, source }: Tool): string {
  const prefix = `${source}__`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** Returns the words of a name in lower case, without the `s` of a plural. */
function listNameWords(name: string): string[] {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u);
  return words.filter((word) => word !== "").map((word) => (/[^s]s$/.test(word) ? word.slice(0, -1) : word));
}
