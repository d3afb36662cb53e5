import type { RunRecording } from "../../agent/open-run.ts";
import { operator } from "../../core/caller.ts";
import type { Journal, RunJournal } from "../../core/store/journal.ts";
import type { RunPlace } from "../conversations/place-runs.ts";
import type { ActiveRun } from "./active-runs.ts";
import type { AskRequest } from "./ask-request.ts";

/** Returns how a run is recorded. One whose conversation the asker keeps is not: nobody could ask for its end. */
export function createRecording(
  journal: Journal,
  { request, place, activeRun }: { request: AskRequest; place: RunPlace; activeRun: ActiveRun },
): RunRecording {
  const { caller = operator, recording, resumed: taken } = request;
  const { entrance = "library", key, wantedConversationId, onDisconnect, hostRequest, leaving } = recording ?? {};
  const onRecorded = (opened: RunJournal): void => {
    activeRun.follow(opened.moved);
    recording?.onRecorded?.(opened);
  };
  if (taken) onRecorded(taken.journal);
  return {
    taken,
    leaving,
    flushEvents: recording?.flushEvents?.bind(recording),
    isRequired: journal.isRequired,
    async begin({ runId, conversationId, ...known }, files) {
      const asked = {
        entrance,
        key,
        onDisconnect,
        hostRequest,
        agent: request.agent,
        tools: request.tools,
        callerTools: caller.tools,
      };
      const wanted = key === undefined ? request.conversationId : wantedConversationId;
      const header = { ...known, ...asked, ...place, wantedConversationId: wanted };
      const opened = await journal.begin({ runId, owner: caller.owner, conversationId, header, files });
      onRecorded(opened);
      return opened;
    },
  };
}
