/** Is a table that every store on disk has. */
export interface CopiedTable {
  readonly name: string;
  /** Lists the columns by which its rows are told apart, and in whose order they are copied. */
  readonly key: readonly string[];
  /** Limits the rows that are read at a time. */
  readonly batch: number;
}

const usualBatch = 100;

const rows: readonly (readonly [name: string, key: readonly string[], batch?: number])[] = [
  ["conversations", ["id"]],
  ["turns", ["conversation", "n"]],
  ["branches", ["conversation", "branch"]],
  ["summaries", ["conversation"]],
  ["wanted_summaries", ["conversation"]],
  ["made_summaries", ["n"]],
  ["plans", ["conversation"]],
  ["sources", ["conversation", "n"]],
  ["results", ["conversation", "n"]],
  ["loaded_tools", ["conversation", "n"]],
  ["traces", ["n"]],
  // A file may take many megabytes.
  ["files", ["hash"], 1],
  ["conversation_files", ["conversation", "hash"]],
  ["discarded", ["conversation"]],
  ["responses", ["id"]],
  ["begun_runs", ["run"]],
  ["host_timeouts", ["owner", "host"]],
  ["typed_texts", ["n"]],
  ["upkeep", ["id"]],
  ["daily_usage", ["caller", "day"]],
  ["usage_reservations", ["id"]],
  ["model_usage", ["day", "caller", "model"]],
  ["api_tokens", ["hash"]],
  ["sign_in_sessions", ["hash"]],
  ["run_places", ["id"]],
  ["shared_records", ["kind", "name"]],
  ["journal_runs", ["run"]],
  ["journal_steps", ["n"]],
  ["journal_events", ["run", "n"]],
  ["journal_files", ["run", "hash"]],
];

/** Lists the tables, each behind those that it refers to. */
export const copiedTables: readonly CopiedTable[] = rows.map(([name, key, batch = usualBatch]) => ({
  name,
  key,
  batch,
}));
