import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { unwrittenRules } from './unwritten-rules.ts'

interface Report {
  complete: boolean
  operations: { tested: number }
  test_cases: { generated: number }
  errors: readonly object[]
}

interface Check {
  failure_info?: { failure: { code: string; operation: string; title: string; message: string } }
}

interface Interaction {
  request?: { uri: string; body?: { $base64: string } }
  response?: { status_code: number; content?: { $base64: string } }
}

/** The part of an event that holds requests, by the same ids. */
interface Recorder {
  checks?: Record<string, readonly Check[]>
  interactions?: Record<string, Interaction>
}

/** The code of schemathesis for a request that the schemas allow and the API rejects. */
const rejectedThoughAllowed = 'ST202'

/** What a run found. */
export interface Found {
  operations: number
  requests: number
  /** Sentences, each once. */
  failures: string[]
  /** Rejections that a rule explains which no schema says, with how often. */
  unwritten: ReadonlyMap<string, number>
}

/** Reads the two reports of a run: the summary and every request with its checks. */
export async function readFindings(summary: string, events: string): Promise<Found> {
  const report: Report = JSON.parse(await readFile(summary, 'utf8'))
  // Each sentence with the first request that it was about.
  const failures = new Map(report.errors.map((error) => [`error: ${JSON.stringify(error)}`, '']))
  const unwritten = new Map<string, number>()
  if (!report.complete) failures.set('error: the run was cut short', '')
  for await (const line of createInterface({
    input: createReadStream(events),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    if (!line.startsWith('{"ScenarioFinished"')) continue
    const { checks = {}, interactions = {} }: Recorder = JSON.parse(line).ScenarioFinished.recorder
    for (const [id, all] of Object.entries(checks)) {
      for (const { failure_info: info } of all) {
        if (!info) continue
        const { code, operation, title, message } = info.failure
        const rejected = issuesOf(interactions[id])
        const rules = code === rejectedThoughAllowed ? rejected.map(ruleOf) : []
        if (rules.length > 0 && rules.every((rule) => rule !== undefined)) {
          for (const rule of new Set(rules))
            if (rule) unwritten.set(rule, (unwritten.get(rule) ?? 0) + 1)
        } else {
          const told =
            rejected.length > 0 ? [...new Set(rejected)].join(' ') : message.replaceAll('\n', ' ')
          const sentence = `${code} ${operation}: ${title}. ${told}`
          failures.set(sentence, failures.get(sentence) ?? requestOf(interactions[id]))
        }
      }
    }
  }
  return {
    operations: report.operations.tested,
    requests: report.test_cases.generated,
    failures: [...failures].map((told) => told.join('')).sort(),
    unwritten,
  }
}

/** The request of a finding, in a line. */
function requestOf({ request }: Interaction = {}): string {
  if (!request) return ''
  const body = Buffer.from(request.body?.$base64 ?? '', 'base64').toString('utf8')
  return `\n        ${`${request.uri} ${body}`.slice(0, 600)}`
}

/** The sentences of a 400; none for any other response. */
function issuesOf(interaction: Interaction | undefined): string[] {
  const { status_code: status, content } = interaction?.response ?? {}
  if (status !== 400 || !content) return []
  const problem: { issues?: readonly { message: string }[] } = JSON.parse(
    Buffer.from(content.$base64, 'base64').toString('utf8'),
  )
  return problem.issues?.map(({ message }) => message) ?? []
}

function ruleOf(message: string): string | undefined {
  return unwrittenRules.find(([rejection]) => rejection.test(message))?.[0].source
}
