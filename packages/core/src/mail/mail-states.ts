import { z } from 'zod'
import { mailStates } from '../platform/choices.ts'

export { mailStates }

export const mailState = z.enum(mailStates)
/** `failed`: will be retried; `gave_up`: no automatic retry. */
export type MailState = z.infer<typeof mailState>
