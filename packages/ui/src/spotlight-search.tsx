import '@mantine/core/styles/Mark.layer.css'
import '@mantine/spotlight/styles.layer.css'
import {
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
  spotlight,
} from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useEffect } from 'react'
import { translations } from './messages.ts'

const t = translations('ui.frame')

interface Props {
  actions: (SpotlightActionData | SpotlightActionGroupData)[]
  /** What can be found: "Search pages and workplaces". */
  placeholder: string
  /** Follows what is typed, for results that the server finds. */
  onQueryChange?: (query: string) => void
}

/**
 * Search over pages and records. Opens when it appears, and from then on by mod+K or
 * `spotlight.open()`.
 */
export function SpotlightSearch({ actions, placeholder, onQueryChange }: Props) {
  useEffect(() => spotlight.open(), [])
  return (
    <Spotlight
      actions={actions}
      shortcut="mod + K"
      nothingFound={t('nothingFound')}
      highlightQuery
      scrollable
      maxHeight={420}
      limit={20}
      attributes={{ content: { 'aria-label': placeholder } }}
      {...(onQueryChange ? { onQueryChange } : {})}
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder,
        'aria-label': placeholder,
      }}
    />
  )
}
