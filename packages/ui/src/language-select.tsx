import { languageNames, languages } from '@atrium/messages/languages'
import { NativeSelect, type NativeSelectProps } from '@mantine/core'

interface Props extends Omit<NativeSelectProps, 'data'> {
  /** What holds where none is chosen; the value is then empty. */
  unset: string
}

/** A choice among the languages of the product, each by its own name. */
export function LanguageSelect({ unset, ...input }: Props) {
  const names = languages.map((language) => ({ value: language, label: languageNames[language] }))
  return <NativeSelect data={[{ value: '', label: unset }, ...names]} {...input} />
}
