import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";

/** What the instance asks: the index, an engine behind a port at which nobody listens, or both. */
export type Engine = "index" | "dead";

/** The settings of searx 1.1.0 for an instance on a free port of 127.0.0.1 that reaches nothing beyond this machine; JSON is YAML. */
export function searxSettings(database: string, engines: readonly Engine[]): string {
  return JSON.stringify({
    general: { debug: false, instance_name: "duet-test" },
    // An engine that failed is asked again at once: searx 1.1.0 leaves out a suspended one without a word.
    search: {
      safe_search: 0,
      autocomplete: "",
      default_lang: "",
      formats: ["html", "json"],
      ban_time_on_fail: 0,
      max_ban_time_on_fail: 0,
    },
    server: {
      port: 0,
      bind_address: "127.0.0.1",
      secret_key: randomBytes(16).toString("hex"),
      base_url: false,
      image_proxy: false,
      http_protocol_version: "1.0",
      method: "GET",
    },
    ui: {
      static_path: resources("static"),
      templates_path: resources("templates"),
      default_theme: "oscar",
      default_locale: "en",
    },
    outgoing: { request_timeout: 5, useragent_suffix: "" },
    engines: engines.map((engine) => (engine === "index" ? indexEngine(database) : deadEngine)),
    doi_resolvers: { "oadoi.org": "https://oadoi.org/" },
    default_doi_resolver: "oadoi.org",
    locales: { en: "English" },
  });
}

/** Where Debian puts them; beside the module when empty. */
function resources(folder: "static" | "templates"): string {
  const debian = `/usr/share/python3-searx/${folder}`;
  return existsSync(debian) ? debian : "";
}

/** Each word of the query is a phrase and any of them is enough, as in a search engine; a match in the title weighs more. */
function indexEngine(database: string) {
  const phrases = `'"' || replace(replace(trim(:query), '"', '""'), ' ', '" OR "') || '"'`;
  return {
    name: "index",
    engine: "sqlite",
    shortcut: "in",
    categories: "general",
    database,
    result_template: "default.html",
    query_str: `SELECT url, title, content FROM documents WHERE documents MATCH ${phrases} ORDER BY bm25(documents, 0, 3, 1)`,
    disabled: false,
  };
}

const deadEngine = {
  name: "dead",
  engine: "json_engine",
  shortcut: "de",
  categories: "general",
  search_url: "http://127.0.0.1:9/?q={query}",
  url_query: "url",
  title_query: "title",
  content_query: "content",
  disabled: false,
};
