import { z } from 'zod'
import { mailStates } from '../platform/choices.ts'

export { mailStates }

export const mailState = z.enum(mailStates)
/** `failed`: tried and due again; `gave_up`: nobody tries again by itself. */
export type MailState = z.infer<typeof mailState>
