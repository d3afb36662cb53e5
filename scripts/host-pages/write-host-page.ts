// The pages of docs/hosts: one for each row of `hosts`, in both languages. What hosts share follows from the tables of the program;
// what is special of one stands in notes.ts, and what was seen of it in transcripts/NAME.txt (scripts/interop/transcripts.mjs).
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Host, type HostName, hostNames, hosts } from "../../src/cli/install/hosts.ts";
import { planChange } from "../../src/cli/install/install.ts";
import type { Machine } from "../../src/cli/install/machine.ts";
import { type Locale, say } from "../../src/kit/locale.ts";
import { getWindowMs, type KnownHost, knownHosts } from "../../src/server/mcp/known-hosts.ts";
import { hostNotes } from "./notes.ts";

const launch = {
  command: "/absolute/path/to/node",
  args: ["/absolute/path/to/duet/dist/duet.js", "serve", "--config", "/absolute/path/to/duet.config.json"],
};

/** Lists the machines whose files a page names. */
const machines: readonly (Machine & { title: string })[] = [
  { title: "Linux", platform: "linux", home: "~", environment: {}, directory: ".", packages: [] },
  { title: "macOS", platform: "darwin", home: "~", environment: {}, directory: ".", packages: [] },
  {
    ...{ title: "Windows", platform: "win32", home: "%USERPROFILE%", directory: ".", packages: [] },
    environment: { APPDATA: "%APPDATA%", LOCALAPPDATA: "%LOCALAPPDATA%" },
  },
];

/** Hosts for which no program exists on one of the platforms, by the platform's title. */
const notOn: Readonly<Partial<Record<HostName, readonly string[]>>> = { "claude-desktop": ["Linux"] };

/** Lists the hosts for docs/hosts.md: the page, the command, how it is known, and after how long a call returns `running`. */
export function createHostList(locale: Locale): string[] {
  const head = {
    en: ["host", "command", "evidence", "`running` after"],
    zh: ["宿主", "命令", "依据", "多久后返回 `running`"],
  }[locale];
  const rows = hostNames.map((name) => {
    const [, , , , , [, window = ""] = []] = listFacts(name, locale);
    const evidence = readTranscript(name)?.title ?? say(locale, { zh: "文档", en: "documented" });
    const page = `[${hosts[name].title}](hosts/${name}.${locale === "zh" ? "zh.md" : "md"})`;
    return [page, `\`duet install ${name}\``, evidence, window];
  });
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}

/** Lists what the table of a page says of a host. */
function listFacts(name: HostName, locale: Locale): string[][] {
  const host = hosts[name];
  const words = texts[locale];
  return [
    [words.tested, describeEvidence(host, readTranscript(name), locale)],
    [words.file, describeFiles(name, locale)],
    [words.project, host.projectFile ? `\`${host.projectFile.join("/")}\` (\`--project\`)` : "–"],
    [words.variables, words.ofVariables[host.variables]],
    ...describeKnown(host, readEntry(host).windowSeconds, locale),
  ];
}

export function writeHostPage(name: HostName, locale: Locale): string {
  const host = hosts[name];
  const words = texts[locale];
  const transcript = readTranscript(name);
  const notes = hostNotes[name] ?? [];
  const { text: entry } = readEntry(host);
  return [
    `# ${say(locale, { zh: `在 ${host.title} 中使用 Duet`, en: `Duet in ${host.title}` })}`,
    "",
    words.links(name),
    "",
    `| ${words.what} | ${host.title} |`,
    "| --- | --- |",
    ...listFacts(name, locale).map(([what, cell]) => `| ${what} | ${cell} |`),
    "",
    `## ${words.install}`,
    "",
    "```sh parsed",
    `duet install ${name}`,
    "```",
    "",
    `${words.shows}${locale === "zh" ? "" : " "}${say(locale, host.next)}`,
    "",
    `## ${words.writes}`,
    "",
    `\`\`\`${host.form} run=install`,
    entry.trimEnd(),
    "```",
    "",
    ...(notes.length > 0 ? [...notes.map((note) => `- ${say(locale, note)}`), ""] : []),
    `## ${words.seen}`,
    "",
    ...(transcript
      ? [
          words.scripted,
          "",
          "```console untested: recorded in the host itself by scripts/interop/transcripts.mjs",
          ...transcript.lines,
          "```",
        ]
      : [words.notRun(host.documented.url, host.documented.date)]),
    "",
    words.next,
    "",
  ].join("\n");
}

interface Transcript {
  /** Is the host with its version, and the day. */
  title: string;
  /** Lists what was typed and shown, without what `duet install` printed: the page shows what it writes. */
  lines: string[];
}

function readTranscript(name: HostName): Transcript | undefined {
  const file = join(import.meta.dirname, "transcripts", `${name}.txt`);
  if (!existsSync(file)) return undefined;
  const [first = "", ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
  const second = lines.findIndex((line, index) => index > 0 && line.startsWith("$ "));
  return { title: first.slice(2), lines: lines.slice(second) };
}

function readEntry(host: Host): { text: string; windowSeconds: number | undefined } {
  const { text, entry } = planChange(host, "", "", "duet", { launch, values: {}, names: [] });
  const args = [entry?.args ?? entry?.command].flat();
  const at = args.indexOf("--window");
  return { text, windowSeconds: at < 0 ? undefined : Number(args[at + 1]) };
}

function describeEvidence({ documented: { url, date } }: Host, transcript: Transcript | undefined, locale: Locale) {
  const link = say(locale, { zh: `[文档](${url})，${date}`, en: `[documented](${url}), ${date}` });
  return transcript ? `${say(locale, { zh: "实测", en: "run with" })} ${transcript.title}; ${link}` : link;
}

/** Names the user's file, once where it is the same on several platforms. */
function describeFiles(name: HostName, locale: Locale): string {
  const on = machines.filter(({ title }) => !notOn[name]?.includes(title));
  const files = on.map((machine) => ({
    title: machine.title,
    file: toSamePath(hosts[name].files(machine)[0] ?? ""),
  }));
  const groups = [...Map.groupBy(files, ({ file }) => file)];
  if (groups.length === 1) return `\`${groups[0]?.[0]}\``;
  return groups
    .map(([file, all]) => `\`${file}\` (${all.map(({ title }) => title).join(say(locale, { zh: "、", en: ", " }))})`)
    .join(say(locale, { zh: "；", en: "; " }));
}

/** Writes a path below the home directory of Windows as the other platforms have it. */
function toSamePath(file: string): string {
  return file.startsWith("%USERPROFILE%") ? file.replace("%USERPROFILE%", "~").replaceAll("\\", "/") : file;
}

/** Says how long the host waits, what its model reads and how its user is asked, as far as that is known. */
function describeKnown(host: Host, windowSeconds: number | undefined, locale: Locale): string[][] {
  const known = knownHosts.find(({ title }) => title === host.title);
  const words = texts[locale];
  const signs = { name: known?.name ?? "", version: "", asksProgress: true, isModern: false };
  const seconds = windowSeconds ?? getWindowMs(signs, { windows: {} }) / 1000;
  const set = host.timeout && host.defaults[host.timeout.field] !== undefined;
  const own = known ? words.waits(known) : words.waitsUnknown;
  const field = host.timeout?.field ?? "";
  const limit = set ? words.setTo(known && own, `${field}: ${host.defaults[field]}`) : own;
  return [
    [words.wait, limit],
    [words.window, `${seconds} s`],
    [words.reads, known?.modelReads ? words.modelReads[known.modelReads] : words.unknown],
    [words.consent, known ? (known.elicitation ? words.dialog : words.token) : words.dialogOrToken],
  ];
}

const texts = {
  en: {
    links: (name: string) => `[中文](${name}.zh.md) · [all hosts](../hosts.md) · [all pages](../README.md)`,
    what: "what",
    tested: "evidence",
    file: "the user's file",
    project: "the project's file",
    variables: "variables of your shell",
    ofVariables: {
      few: "few: keys belong into the `.env` beside the configuration, or into the entry (`--with-env`)",
      all: "all are handed on",
      named: "those that the entry names",
    },
    wait: "waits for a call",
    waits: ({ timeout, progress }: KnownHost) =>
      `${timeout === "none" ? "without limit" : `${timeout} s`} by itself${progress === "resets-timeout" ? ", anew after each progress message" : ""}`,
    waitsUnknown: "not told to servers; Duet assumes 60 s",
    setTo: (own: string | undefined, field: string) => `${own ? `${own}; ` : ""}\`duet install\` writes \`${field}\``,
    window: "`running` after",
    reads: "its model reads",
    modelReads: {
      text: "the text of the result",
      object: "the object (`structuredContent`)",
      both: "both; the object then leaves the answer out",
    },
    unknown: "not known; the answer is in the text and in the object",
    consent: "calls that need consent",
    dialog: "are asked about in the host's dialog",
    token: "are shown with a token, which the host's model passes back after your yes",
    dialogOrToken: "are asked about in a dialog where the host offers one, else with a token",
    install: "Install",
    shows: "It shows the change first and asks; see [hosts](../hosts.md) for its flags.",
    writes: "What it writes",
    seen: "A question in it",
    scripted:
      "Really run. The host's own model was scripted: it calls `agent_ask` once and writes what it has read. Duet had no model, so its rules answered.",
    notRun: (url: string, date: string) =>
      `Not run: it is a program with windows, or has no package that runs without an account. What stands here follows [what its makers write](${url}), as of ${date}.`,
    next: "What the host finds: [MCP interface](../mcp.md). How long hosts wait: [known hosts](../known-hosts.md).",
  },
  zh: {
    links: (name: string) => `[English](${name}.md) · [全部宿主](../hosts.zh.md) · [全部文档](../README.zh.md)`,
    what: "项目",
    tested: "依据",
    file: "用户的文件",
    project: "项目的文件",
    variables: "终端的环境变量",
    ofVariables: {
      few: "只有少数：密钥请写进配置文件旁的 `.env`，或写进条目（`--with-env`）",
      all: "全部传递",
      named: "条目中列出的那些",
    },
    wait: "等待一次调用",
    waits: ({ timeout, progress }: KnownHost) =>
      `自身${timeout === "none" ? "不限" : ` ${timeout} 秒`}${progress === "resets-timeout" ? "，每条进度消息之后重新计时" : ""}`,
    waitsUnknown: "不告诉服务器；Duet 按 60 秒计算",
    setTo: (own: string | undefined, field: string) => `${own ? `${own}；` : ""}\`duet install\` 写入 \`${field}\``,
    window: "多久后返回 `running`",
    reads: "它的模型读到",
    modelReads: {
      text: "结果的文本",
      object: "结构化内容（`structuredContent`）",
      both: "两者；结构化内容因此省去回答",
    },
    unknown: "未知；文本和结构化内容里都有回答",
    consent: "需要同意的调用",
    dialog: "在宿主的对话框里询问",
    token: "附上令牌显示，你同意后由宿主的模型传回",
    dialogOrToken: "宿主有对话框就用对话框，否则用令牌",
    install: "安装",
    shows: "它先显示改动并询问；参数见[宿主](../hosts.zh.md)。",
    writes: "写入的内容",
    seen: "在其中提问",
    scripted:
      "这是真实运行的记录。宿主自己的模型由脚本扮演：它调用一次 `agent_ask`，然后写出读到的内容。Duet 没有配置模型，由规则回答。",
    notRun: (url: string, date: string) =>
      `没有运行过：它是带窗口的程序，或没有不用账号就能运行的包。这里的内容依据[它的文档](${url})，${date}。`,
    next: "宿主能得到什么：[MCP 接口](../mcp.zh.md)。各宿主等待多久：[已知的宿主](../known-hosts.zh.md)。",
  },
} satisfies Record<Locale, unknown>;
