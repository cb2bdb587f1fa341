/** VitePress's own theme with the fonts of the system, and our few rules. */
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
