import { exportFormats } from '@atrium/core/audit/audit'
import { countFilters } from '@atrium/ui/search-params'
import { Button, Menu, Text } from '@mantine/core'
import { IconDownload, IconFileText } from '@tabler/icons-react'
import { type AuditSearch, exportAddress, formatNames } from './search.ts'

const about = { csv: 'For a spreadsheet', ndjson: 'One JSON object per line' } as const

/**
 * Downloads every entry that the filters let through. The browser fetches the file itself, so size
 * does not matter.
 */
export function AuditExport({ search }: { search: AuditSearch }) {
  const filtered = countFilters({ ...search, limit: undefined }) > 0
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={17} aria-hidden />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {exportFormats.map((format) => (
          <Menu.Item
            key={format}
            component="a"
            href={exportAddress(search, format)}
            download
            leftSection={<IconFileText size={17} aria-hidden />}
          >
            {formatNames[format]}
            <Text size="xs" c="dimmed">
              {about[format]}, {filtered ? 'all entries that fit the filters' : 'the whole log'}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
