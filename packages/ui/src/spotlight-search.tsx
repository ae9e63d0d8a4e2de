import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'

interface Props {
  actions: (SpotlightActionData | SpotlightActionGroupData)[]
  /** What can be found: "Search pages and workplaces". */
  placeholder: string
  /** Follows what is typed, for results that the server finds. */
  onQueryChange?: (query: string) => void
}

/** Search over pages and records, opened by mod+K or `spotlight.open()`. */
export function SpotlightSearch({ actions, placeholder, onQueryChange }: Props) {
  return (
    <Spotlight
      actions={actions}
      shortcut="mod + K"
      nothingFound="Nothing fits these words."
      highlightQuery
      scrollable
      maxHeight={420}
      limit={20}
      attributes={{ content: { 'aria-label': placeholder } }}
      {...(onQueryChange ? { onQueryChange } : {})}
      searchProps={{ leftSection: <IconSearch size={18} aria-hidden />, placeholder, 'aria-label': placeholder }}
    />
  )
}
