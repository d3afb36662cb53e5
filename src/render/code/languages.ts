import type { StreamParser } from "@codemirror/streamparser";

export type Mode = StreamParser<unknown>;

/** Loads what colours a language, by what stands behind the fence; undefined where nothing does. */
export function findLanguage(info: string): (() => Promise<Mode>) | undefined {
  const [name = ""] = /^[\w+#.-]+/.exec(info.replace(/^\{?\.?/, "").toLowerCase()) ?? [];
  return languages.find(({ names }) => names.includes(name))?.load;
}

interface Language {
  readonly names: readonly string[];
  load(): Promise<Mode>;
}

const loadScript = () => import("@codemirror/legacy-modes/mode/javascript");
const loadClike = () => import("@codemirror/legacy-modes/mode/clike");
const loadCss = () => import("@codemirror/legacy-modes/mode/css");
const loadXml = () => import("@codemirror/legacy-modes/mode/xml");
const loadSql = () => import("@codemirror/legacy-modes/mode/sql");

const languages: readonly Language[] = [
  { names: ["js", "javascript", "jsx", "mjs", "cjs", "node"], load: async () => (await loadScript()).javascript },
  { names: ["ts", "typescript", "tsx", "mts", "cts"], load: async () => (await loadScript()).typescript },
  { names: ["json", "jsonc", "json5", "jsonl", "ndjson"], load: async () => (await loadScript()).json },
  {
    names: ["py", "python", "python3", "py3", "ipython"],
    load: async () => (await import("@codemirror/legacy-modes/mode/python")).python,
  },
  {
    names: ["sh", "bash", "shell", "zsh", "console", "shellscript", "shell-session"],
    load: async () => (await import("@codemirror/legacy-modes/mode/shell")).shell,
  },
  { names: ["go", "golang"], load: async () => (await import("@codemirror/legacy-modes/mode/go")).go },
  { names: ["rs", "rust"], load: async () => (await import("@codemirror/legacy-modes/mode/rust")).rust },
  { names: ["c", "h"], load: async () => (await loadClike()).c },
  { names: ["cpp", "c++", "cc", "cxx", "hpp", "cuda", "arduino"], load: async () => (await loadClike()).cpp },
  { names: ["java"], load: async () => (await loadClike()).java },
  { names: ["cs", "csharp", "c#"], load: async () => (await loadClike()).csharp },
  { names: ["kt", "kts", "kotlin"], load: async () => (await loadClike()).kotlin },
  { names: ["scala"], load: async () => (await loadClike()).scala },
  { names: ["dart"], load: async () => (await loadClike()).dart },
  { names: ["objc", "objective-c", "objectivec"], load: async () => (await loadClike()).objectiveC },
  { names: ["css"], load: async () => (await loadCss()).css },
  { names: ["scss", "sass"], load: async () => (await loadCss()).sCSS },
  { names: ["less"], load: async () => (await loadCss()).less },
  { names: ["html", "htm", "xhtml", "vue", "svelte", "php"], load: async () => (await loadXml()).html },
  { names: ["xml", "svg", "plist", "rss"], load: async () => (await loadXml()).xml },
  { names: ["sql", "sqlite"], load: async () => (await loadSql()).standardSQL },
  { names: ["mysql", "mariadb"], load: async () => (await loadSql()).mySQL },
  { names: ["pgsql", "postgres", "postgresql", "plpgsql"], load: async () => (await loadSql()).pgSQL },
  { names: ["yaml", "yml"], load: async () => (await import("@codemirror/legacy-modes/mode/yaml")).yaml },
  { names: ["toml"], load: async () => (await import("@codemirror/legacy-modes/mode/toml")).toml },
  { names: ["diff", "patch"], load: async () => (await import("@codemirror/legacy-modes/mode/diff")).diff },
  { names: ["rb", "ruby"], load: async () => (await import("@codemirror/legacy-modes/mode/ruby")).ruby },
  { names: ["lua"], load: async () => (await import("@codemirror/legacy-modes/mode/lua")).lua },
  { names: ["swift"], load: async () => (await import("@codemirror/legacy-modes/mode/swift")).swift },
  { names: ["r"], load: async () => (await import("@codemirror/legacy-modes/mode/r")).r },
  {
    names: ["ps1", "powershell", "pwsh", "ps"],
    load: async () => (await import("@codemirror/legacy-modes/mode/powershell")).powerShell,
  },
  {
    names: ["dockerfile", "docker", "containerfile"],
    load: async () => (await import("@codemirror/legacy-modes/mode/dockerfile")).dockerFile,
  },
  {
    names: ["properties", "ini", "conf", "cfg", "env", "dotenv"],
    load: async () => (await import("@codemirror/legacy-modes/mode/properties")).properties,
  },
];
