import { Textarea, type TextareaProps } from '@mantine/core'

/** Why an operator does something, for the audit log. */
export function ReasonInput(props: TextareaProps) {
  return <Textarea withAsterisk maxLength={500} autosize minRows={2} {...props} />
}
