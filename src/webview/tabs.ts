/** The script of the pages in tabs: most of it is what both of them use. */
import './translations.ts';
import { showRequest } from './pages/requestPage.tsx';
import { showUsage } from './pages/usagePage.tsx';

if (document.getElementById('root')?.dataset['page'] === 'request') showRequest();
else showUsage();
