import type { SetupFinding } from '@atrium/integrations/identity/authentik-setup-findings'

/** One line of a check: `need` names what was looked at, `text` what differs and the next step. */
export type Finding = SetupFinding

/** The findings for people: level, what was looked at, and what to do. */
export function findingLines(findings: readonly Finding[]): string {
  return findings
    .map(
      ({ level, need, text }) => `${[level.padEnd(8), need, ...(text ? [text] : [])].join(' ')}\n`,
    )
    .join('')
}

/** The same as one JSON object, for programs. */
export function findingsJson(findings: readonly Finding[]): string {
  const count = (level: Finding['level']) =>
    findings.filter((finding) => finding.level === level).length
  return `${JSON.stringify({ errors: count('error'), warnings: count('warning'), findings }, null, 2)}\n`
}

/** The exit status of a check: 1 with an error. Warnings do not fail it. */
export function exitStatusOf(findings: readonly Finding[]): 0 | 1 {
  return findings.some(({ level }) => level === 'error') ? 1 : 0
}
