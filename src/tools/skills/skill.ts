/** Represents a folder with a `SKILL.md`, as it is described to the model. */
export interface Skill {
  /** Is the name of the folder and matches `^[a-z0-9-]{1,64}$`. */
  name: string;
  /** Is a single line. */
  description: string;
  /** Is the folder's real path, with links resolved. */
  folder: string;
  /** Holds the exact spelling of `SKILL.md` in the folder. */
  file: string;
  /** Lists the files under `scripts/`, relative to the folder and sorted. */
  scripts: string[];
}
