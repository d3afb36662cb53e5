/** A folder with a `SKILL.md`, as the model is told of it. */
export interface Skill {
  /** `^[a-z0-9-]{1,64}$`, the folder's own name. */
  name: string;
  /** One line. */
  description: string;
  /** The folder as it is on disk, links resolved. */
  folder: string;
  /** How its `SKILL.md` is spelt. */
  file: string;
  /** What lies under `scripts/`, relative to the folder, sorted. */
  scripts: string[];
}
