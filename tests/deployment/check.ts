/** What was tried, and what came of it. `holds` is null where it could not be tried. */
export interface Check {
  what: string
  measured: string
  holds: boolean | null
}
