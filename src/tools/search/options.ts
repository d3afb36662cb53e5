export interface KeyedSettings {
  apiKey?: string | undefined;
  baseUrl: string;
}

/** Base URLs are the user's own, so they may be private. */
export interface SearchOptions {
  /** `auto` asks those that are set up one after the other; one that is named is asked alone. */
  backend: "auto" | "tavily" | "exa" | "parallel" | "brave" | "serper" | "bocha" | "zhipu" | "searxng" | "duckduckgo";
  maxResults: number;
  /** Characters of one snippet. */
  snippetLength: number;
  /** Whether `auto` may ask services without a key. */
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
  /** A page made for people; `auto` asks it last, and only where it is enabled. */
  duckduckgo: { enabled: boolean; baseUrl: string };
}
