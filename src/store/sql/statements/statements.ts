import { branchStatements } from "./branch-statements.ts";
import { conversationStatements } from "./conversation-statements.ts";
import { credentialStatements } from "./credential-statements.ts";
import { journalStatements } from "./journal-statements.ts";
import { sharedStatements } from "./shared-statements.ts";
import {
  dailyUsageStatements,
  removalStatements,
  responseStatements,
  retentionStatements,
} from "./upkeep-statements.ts";

/** Holds every statement that SQLite and PostgreSQL share. */
export const statements = {
  ...conversationStatements,
  ...branchStatements,
  ...removalStatements,
  ...retentionStatements,
  ...dailyUsageStatements,
  ...responseStatements,
  ...credentialStatements,
  ...journalStatements,
  ...sharedStatements,
};
