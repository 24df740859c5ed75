import java.awt.*;
import java.io.*;
import java.nio.file.*;
import java.text.SimpleDateFormat;
import java.util.*;
import javax.swing.*;
import javax.swing.event.*;
import javax.swing.table.DefaultTableModel;
import javax.swing.tree.DefaultMutableTreeNode;

/** One widget of Swing in a window; run from its source. */
public class Swing {
    static final Map<String, Object> told = new LinkedHashMap<>();
    static String place;
    static final String[] FRUIT = "Apple Banana Cherry Grape Lemon Mango Orange Peach Pear Plum Quince".split(" ");
    static final String[] COUNTRIES = "Canada Chile France Ghana India Japan Kenya Mexico Norway Peru".split(" ");
    static final JPanel panel = new JPanel(new GridBagLayout());
    static final JFrame frame = new JFrame("Widgets");
    static int row = 0;

    static void tell(String key, Object value) {
        told.put(key, value);
        StringBuilder out = new StringBuilder("{");
        for (Map.Entry<String, Object> one : told.entrySet()) {
            Object held = one.getValue();
            String text = held instanceof String
                ? "\"" + ((String) held).replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"" : "" + held;
            out.append(out.length() > 1 ? ", " : "").append('"').append(one.getKey()).append("\": ").append(text);
        }
        try {
            Files.writeString(Path.of(place + ".new"), out.append("}"));
            Files.move(Path.of(place + ".new"), Path.of(place), StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    static void add(String name, JComponent widget) {
        GridBagConstraints at = new GridBagConstraints();
        at.gridy = row++;
        at.insets = new Insets(6, 6, 6, 6);
        at.anchor = GridBagConstraints.NORTHWEST;
        if (!name.isEmpty()) {
            JLabel label = new JLabel(name);
            Component held = widget instanceof JScrollPane ? ((JScrollPane) widget).getViewport().getView() : widget;
            label.setLabelFor(held);
            panel.add(label, at);
        }
        at.gridx = 1;
        at.weightx = 1;
        panel.add(widget, at);
    }

    static void heard(JTextComponentHolder field, String key) {
        field.get().getDocument().addDocumentListener(new DocumentListener() {
            public void insertUpdate(DocumentEvent event) { tell(key, field.get().getText()); }
            public void removeUpdate(DocumentEvent event) { tell(key, field.get().getText()); }
            public void changedUpdate(DocumentEvent event) { }
        });
    }

    interface JTextComponentHolder { javax.swing.text.JTextComponent get(); }

    static void entry(String name) {
        JTextField field = new JTextField(20);
        heard(() -> field, name.toLowerCase());
        add(name, field);
    }

    static JMenu menu(String name, Object... inside) {
        JMenu menu = new JMenu(name);
        for (Object one : inside) {
            if (one instanceof JMenu) {
                menu.add((JMenu) one);
            } else {
                menu.add((String) one).addActionListener(event -> tell("menu", one));
            }
        }
        return menu;
    }

    static void build(String kind) {
        switch (kind) {
            case "text": entry("Name"); entry("City"); break;
            case "textarea": {
                entry("Name");
                JTextArea area = new JTextArea(6, 24);
                heard(() -> area, "notes");
                add("Notes", new JScrollPane(area));
                break;
            }
            case "number":
                for (String name : new String[] {"Pages", "Copies"}) {
                    JSpinner field = new JSpinner(new SpinnerNumberModel(1, 1, 99, 1));
                    field.addChangeListener(event -> tell(name.toLowerCase(), field.getValue()));
                    add(name, field);
                }
                break;
            case "checkbox":
                for (String name : new String[] {"Internal", "Urgent"}) {
                    JCheckBox box = new JCheckBox(name);
                    box.addItemListener(event -> tell(name.toLowerCase(), box.isSelected()));
                    add("", box);
                }
                break;
            case "radio": {
                ButtonGroup group = new ButtonGroup();
                for (String name : new String[] {"Standard", "Express", "Pickup"}) {
                    JRadioButton one = new JRadioButton(name, name.equals("Standard"));
                    one.addActionListener(event -> tell("delivery", name));
                    group.add(one);
                    add(name.equals("Standard") ? "Delivery" : "", one);
                }
                break;
            }
            case "dropdown": {
                entry("City");
                JComboBox<String> box = new JComboBox<>(COUNTRIES);
                box.addActionListener(event -> tell("country", box.getSelectedItem()));
                add("Country", box);
                break;
            }
            case "listbox": {
                JList<String> list = new JList<>(FRUIT);
                list.setVisibleRowCount(6);
                list.addListSelectionListener(event -> tell("fruit", list.getSelectedValue()));
                add("Fruit", new JScrollPane(list));
                break;
            }
            case "tree": {
                DefaultMutableTreeNode top = new DefaultMutableTreeNode("Nature");
                String[][] tree = {{"Plants", "Oak", "Rose"}, {"Animals", "Cat", "Dog", "Horse"}};
                for (String[] words : tree) {
                    DefaultMutableTreeNode branch = new DefaultMutableTreeNode(words[0]);
                    for (int i = 1; i < words.length; i++) branch.add(new DefaultMutableTreeNode(words[i]));
                    top.add(branch);
                }
                JTree view = new JTree(top);
                view.addTreeSelectionListener(event -> tell("nature", "" + event.getPath().getLastPathComponent()));
                add("", new JScrollPane(view));
                break;
            }
            case "table": {
                String[][] rows = {{"Coffee", "3.40", "12"}, {"Tea", "1.20", "30"}, {"Cocoa", "2.75", "8"}};
                DefaultTableModel model = new DefaultTableModel(rows, new String[] {"Article", "Price", "Stock"});
                model.addTableModelListener(event -> tell(
                    ("" + model.getValueAt(event.getFirstRow(), 0)).toLowerCase(),
                    model.getValueAt(event.getFirstRow(), event.getColumn())));
                JTable view = new JTable(model);
                view.setPreferredScrollableViewportSize(new Dimension(360, 120));
                add("", new JScrollPane(view));
                break;
            }
            case "tabs": {
                JTabbedPane book = new JTabbedPane();
                for (String name : new String[] {"General", "Privacy", "About"}) {
                    JCheckBox box = new JCheckBox(name + " extras");
                    box.addItemListener(event -> tell(name.toLowerCase(), box.isSelected()));
                    JPanel page = new JPanel();
                    page.add(box);
                    book.addTab(name, page);
                }
                add("", book);
                break;
            }
            case "slider": {
                entry("Name");
                JSlider slider = new JSlider(0, 100, 0);
                slider.addChangeListener(event -> tell("volume", slider.getValue()));
                add("Volume", slider);
                break;
            }
            case "menu": {
                JMenuBar bar = new JMenuBar();
                bar.add(menu("File", "New", "Quit"));
                bar.add(menu("Insert", "Picture", menu("Shape", "Square", "Circle")));
                frame.setJMenuBar(bar);
                entry("Name");
                break;
            }
            case "dialog": {
                JButton button = new JButton("Rename");
                button.addActionListener(event -> {
                    String name = JOptionPane.showInputDialog(frame, "New name");
                    tell("answer", name == null ? "cancelled" : name);
                });
                add("", button);
                break;
            }
            case "file": {
                JButton button = new JButton("Picture");
                button.addActionListener(event -> {
                    JFileChooser box = new JFileChooser();
                    if (box.showOpenDialog(frame) == JFileChooser.APPROVE_OPTION) tell("file", box.getSelectedFile().getPath());
                });
                add("", button);
                break;
            }
            case "date": {
                entry("Name");
                JSpinner field = new JSpinner(new SpinnerDateModel(new Date(124, 0, 3), null, null, Calendar.DAY_OF_MONTH));
                field.setEditor(new JSpinner.DateEditor(field, "yyyy-MM-dd"));
                field.addChangeListener(event -> tell("date", new SimpleDateFormat("yyyy-MM-dd").format(field.getValue())));
                add("Date", field);
                break;
            }
            case "switch":
                for (String name : new String[] {"Bluetooth", "Notifications"}) {
                    JToggleButton one = new JToggleButton(name);
                    one.addItemListener(event -> tell(name.toLowerCase(), one.isSelected()));
                    add("", one);
                }
                break;
            default: throw new IllegalArgumentException(kind);
        }
    }

    public static void main(String[] words) {
        place = words[1];
        SwingUtilities.invokeLater(() -> {
            build(words[0]);
            frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
            frame.add(panel, BorderLayout.NORTH);
            frame.setSize(520, 420);
            frame.setVisible(true);
        });
    }
}
