import { type ErrorMessages, errorMessages, errorTexts } from '@atrium/messages/error-texts'
import { type FailureMessages, failureMessages, failureTexts } from '@atrium/messages/failure-texts'
import { defaultLanguage, type PageLanguage } from '@atrium/messages/languages'
import { splitUpstreamMessage, upstreamMessage } from './upstream-messages.ts'

/** An upstream system. */
export type FailedSystem = keyof FailureMessages['systems']
/** How a call to it failed. */
export type FailureKind = Exclude<keyof FailureMessages['failures'], 'deadline'>
/** Why a step of our own cannot go on. */
export type StepFailure = keyof FailureMessages['steps']

interface FailedCall {
  system: FailedSystem
  /** The operation in our words, such as `ensureGroup`. */
  call: string
  kind: FailureKind
  status?: number | undefined
  /** The deadline that passed, for `timeout`. */
  seconds?: number | undefined
  /** More for the sentence, in English. */
  more?: string | undefined
}

/**
 * A failed call as people read it, as in "The file storage reported an error. [files.ensureSpace:
 * 503, server]". Rows hold the English text. What is in brackets says the same to programs, so that
 * `writeFailure` can write it in the language of the reader.
 */
export function failureText(failed: FailedCall): string {
  return writeCall(failed, defaultLanguage)
}

function writeCall(
  { system, call, kind, status, seconds, more }: FailedCall,
  language: PageLanguage,
): string {
  const t = failureTexts(language)
  const values = { system: t(`systems.${system}`), seconds: String(seconds) }
  const sentence = t(`failures.${seconds === undefined ? kind : 'deadline'}`, values)
  const detail = [status, kind, seconds === undefined ? undefined : `${seconds} s`]
  return upstreamMessage(
    `${sentence}${more === undefined ? '' : `: ${more}`}.`,
    `${system}.${call}: ${detail.filter((one) => one !== undefined).join(', ')}`,
  )
}

/** Why a step cannot go on, in the same form: "… does not know this person. [personUnknown]". */
export function stepFailureText(reason: StepFailure, value?: string | number): string {
  return writeStep(reason, value?.toString(), defaultLanguage)
}

function writeStep(reason: StepFailure, value: string | undefined, language: PageLanguage): string {
  const sentence = failureTexts(language)(`steps.${reason}`, { value: value ?? '' })
  return upstreamMessage(sentence, value === undefined ? reason : `${reason}: ${value}`)
}

/** The title of one of our errors, in the same form: "The card was declined. [card_declined]". */
export function titleFailureText(code: keyof ErrorMessages['titles']): string {
  return writeTitle(code, defaultLanguage)
}

function writeTitle(code: keyof ErrorMessages['titles'], language: PageLanguage): string {
  return upstreamMessage(errorTexts(language)(`titles.${code}`), code)
}

/**
 * A text of the functions above, or several of them, in a language. What was written
 * by another version of the program or in other words stays as it is.
 */
export function writeFailure(text: string, language: PageLanguage): string {
  if (language === defaultLanguage) return text
  let written = ''
  let done = 0
  for (;;) {
    const open = text.indexOf('[', done)
    const close = open < 0 ? -1 : text.indexOf(']', open)
    if (close < 0) return written + text.slice(done)
    written += writeOne(text.slice(done, open), text.slice(open + 1, close), language)
    done = close + 1
  }
}

/** One failure: its sentence, with the space around it, and what stands in the brackets behind. */
function writeOne(before: string, detail: string, language: PageLanguage): string {
  const sentence = before.trim()
  const again = readCall(sentence, detail) ?? readStep(detail) ?? readTitle(detail)
  if (again?.(defaultLanguage) !== upstreamMessage(sentence, detail)) return `${before}[${detail}]`
  const space = before.slice(0, before.length - before.trimStart().length)
  return space + again(language)
}

type Written = (language: PageLanguage) => string

function readCall(sentence: string, detail: string): Written | undefined {
  const [, system, call = '', status, kind, seconds] =
    /^(\w+)\.(\w+): (?:(\d+), )?([a-z_]+)(?:, ([\d.]+) s)?$/.exec(detail) ?? []
  if (!isNameOf('systems', system) || !isNameOf('failures', kind) || kind === 'deadline')
    return undefined
  const failed = {
    system,
    call,
    kind,
    status: status === undefined ? undefined : Number(status),
    seconds: seconds === undefined ? undefined : Number(seconds),
  }
  const bare = splitUpstreamMessage(failureText(failed)).sentence.replace(/\.$/, '')
  const more = sentence.startsWith(`${bare}: `) ? sentence.slice(bare.length + 2, -1) : undefined
  return (language) => writeCall({ ...failed, more }, language)
}

function readStep(detail: string): Written | undefined {
  const [, reason, value] = /^(\w+)(?:: (.+))?$/.exec(detail) ?? []
  if (!isNameOf('steps', reason)) return undefined
  return (language) => writeStep(reason, value, language)
}

function readTitle(detail: string): Written | undefined {
  return isErrorCode(detail) ? (language) => writeTitle(detail, language) : undefined
}

function isErrorCode(detail: string): detail is keyof ErrorMessages['titles'] {
  return Object.hasOwn(errorMessages.titles, detail)
}

/** Whether the catalogue has this name in a part of the file. */
function isNameOf<Part extends keyof FailureMessages>(
  part: Part,
  name: string | undefined,
): name is keyof FailureMessages[Part] & string {
  return name !== undefined && Object.hasOwn(failureMessages[part], name)
}
