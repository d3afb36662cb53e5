import { defineStatement } from "../work.ts";

/** Holds the statements about what all processes share beside conversations. All times are milliseconds since 1970. */
export const sharedStatements = {
  placeCounts: defineStatement(`
      SELECT count(CASE WHEN state = 'going' AND until_ms > :now THEN 1 END) AS going,
        count(CASE WHEN state = 'waiting' AND until_ms > :now THEN 1 END) AS waiting,
        count(CASE WHEN begun_ms > :since AND begun_ms <= :now THEN 1 END) AS in_minute,
        min(CASE WHEN begun_ms > :since AND begun_ms <= :now THEN begun_ms END) AS oldest
      FROM run_places WHERE caller = :caller`),
  addPlace: defineStatement(`
      INSERT INTO run_places (id, caller, state, begun_ms, until_ms) VALUES (:id, :caller, 'going', :now, :until)`),
  /** `places` lists in JSON all places of a process, with their states. */
  renewPlaces: defineStatement(`
      UPDATE run_places SET state = p.value ->> 'state', until_ms = :until
      FROM json_each(:places) AS p WHERE run_places.id = p.value ->> 'id' AND run_places.state <> 'ended'`),
  endPlace: defineStatement("UPDATE run_places SET state = 'ended' WHERE id = :id"),
  dropPlace: defineStatement("DELETE FROM run_places WHERE id = :id"),
  /** A place that is not renewed counts as nothing, and stays: its process may only be cut off from the database. */
  prunePlaces: defineStatement(`
      DELETE FROM run_places
      WHERE caller = :caller AND begun_ms <= :since AND (state = 'ended' OR until_ms <= :lost)`),
  pruneAllPlaces: defineStatement("DELETE FROM run_places WHERE until_ms <= :now AND begun_ms <= :since"),

  sharedRecord: defineStatement(`
      SELECT data, version, until_ms FROM shared_records WHERE kind = :kind AND name = :name`),
  /** Lists the names from the prefix up to `end`, the same with the highest character behind it. */
  sharedRecords: defineStatement(`
      SELECT name, version FROM shared_records
      WHERE kind = :kind AND name >= :prefix AND name < :end AND (until_ms IS NULL OR until_ms > :now)`),
  putSharedRecord: defineStatement(`
      INSERT INTO shared_records (kind, name, version, data, until_ms) VALUES (:kind, :name, :now, :data, :until)
      ON CONFLICT (kind, name) DO UPDATE SET data = excluded.data, until_ms = excluded.until_ms,
        version = CASE WHEN excluded.version > shared_records.version THEN excluded.version ELSE shared_records.version + 1 END
      RETURNING version`),
  addSharedRecord: defineStatement(`
      INSERT INTO shared_records (kind, name, version, data, until_ms) VALUES (:kind, :name, :now, :data, NULL)
      ON CONFLICT (kind, name) DO NOTHING`),
  extendSharedRecord: defineStatement(`
      UPDATE shared_records SET until_ms = :until WHERE kind = :kind AND name = :name AND until_ms > :now`),
  dropSharedRecord: defineStatement("DELETE FROM shared_records WHERE kind = :kind AND name = :name"),
  /** A turn that was not renewed is the next one's. */
  takeTurn: defineStatement(`
      INSERT INTO shared_records (kind, name, version, data, until_ms) VALUES (:kind, :name, :now, :holder, :until)
      ON CONFLICT (kind, name) DO UPDATE SET data = excluded.data, until_ms = excluded.until_ms
        WHERE shared_records.until_ms <= :now`),
  /** Changes nothing where the turn is another's by now, or was: what was done in it may have to be done anew. */
  renewTurn: defineStatement(
    "UPDATE shared_records SET until_ms = :until WHERE kind = :kind AND name = :name AND data = :holder",
  ),
  endTurn: defineStatement("DELETE FROM shared_records WHERE kind = :kind AND name = :name AND data = :holder"),
  /** Removes what a client has sent, a person's words, as soon as its time is over, and all else a day later. */
  pruneSharedRecords: defineStatement(`
      DELETE FROM shared_records WHERE until_ms <= :yesterday OR (kind = 'mcp-message' AND until_ms <= :now)`),
};
