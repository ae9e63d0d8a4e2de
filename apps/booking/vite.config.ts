import { defineConfig } from 'vite'

/**
 * The pages' script, the one for other sites' pages, and the style sheet, each as one file; the
 * server names them after their content.
 */
export default defineConfig({
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    rolldownOptions: {
      input: {
        page: 'src/client/page.ts',
        embed: 'src/client/embed.ts',
        style: 'src/client/page.css',
      },
      output: { entryFileNames: '[name].js', assetFileNames: '[name][extname]' },
    },
  },
})
