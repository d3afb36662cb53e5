export interface KeyedSettings {
  apiKey?: string | undefined;
  baseUrl: string;
}

/** Base URLs are set by the user, so they may be private. */
export interface SearchOptions {
  /** `auto` tries the configured backends one after the other. A named one is used alone. */
  backend: "auto" | "tavily" | "exa" | "parallel" | "brave" | "serper" | "bocha" | "zhipu" | "searxng" | "duckduckgo";
  maxResults: number;
  /** Limits one snippet, in characters. */
  snippetLength: number;
  /** Lets the `auto` backend use services without a key. */
  keyless: boolean;
  tavily: KeyedSettings;
  parallel: KeyedSettings;
  exa: KeyedSettings & { mcpUrl: string };
  brave: KeyedSettings;
  serper: KeyedSettings;
  bocha: KeyedSettings;
  zhipu: KeyedSettings;
  /** User information in the URL is sent as Basic authentication. */
  searxng?: { url: string } | undefined;
  /** DuckDuckGo's page is made for people. `auto` tries it last, and only when it is enabled. */
  duckduckgo: { enabled: boolean; baseUrl: string };
}
